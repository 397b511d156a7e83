"""One settings file. Everything that differs between places is read from the environment."""

import tomllib
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import structlog

from wwbsite.environment import (
    read_address,
    read_bool,
    read_database,
    read_int,
    read_list,
    read_str,
)
from wwbsite.request_logs import hide_in_event, shorten_refusal

BASE_DIR = Path(__file__).resolve().parent.parent
SITE_VERSION: str = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"][
    "version"
]

SECRET_KEY = read_str("SECRET_KEY")
DEBUG = read_bool("DEBUG", default=False)
BEHIND_TLS_PROXY = read_bool("BEHIND_TLS_PROXY", default=False)
ALLOWED_HOSTS = read_list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = read_list("CSRF_TRUSTED_ORIGINS", [])
# Where commands say that a page is; empty if they do not know.
SITE_URL = read_str("SITE_URL", "").rstrip("/")

# --- Installed code -------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "wwbsite.static_files.CollectedFiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "django_htmx",
    "django_structlog",
    "axes",
    "csp",
    "catalog",
    "completions",
    "episodes",
    "judgments",
    "leaderboards",
]

MIDDLEWARE = [
    "csp.middleware.CSPMiddleware",  # outermost: redirects, files and refusals carry it too
    "django.middleware.security.SecurityMiddleware",
    "wwbsite.faults.refuse_unreadable",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "wwbsite.faults.explain_refused_method",  # within what binds the id to quote
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

CSRF_FAILURE_VIEW = "wwbsite.faults.form_refused"

ROOT_URLCONF = "wwbsite.urls"
WSGI_APPLICATION = "wwbsite.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "wwbsite.pages.site_context",
            ],
            "libraries": {"numbers": "wwbsite.numbers"},
        },
    },
]

# --- Database, cache, broker ----------------------------------------------------------------
_database = read_database("DATABASE_URL")
_database["CONN_HEALTH_CHECKS"] = True
# A worker that is killed, or that a time limit takes from its statement, cannot cancel it: the
# server has to notice, or the statement keeps its locks for as long as it waits for another's.
_still_there = {"options": "-c client_connection_check_interval=2s"}
_database["OPTIONS"] = _still_there | _database.get("OPTIONS", {})
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = read_address("REDIS_URL", schemes=("redis", "rediss", "unix"))
# In seconds: a server that hangs may hold no request up for longer.
REDIS_PATIENCE = {"socket_timeout": 1, "socket_connect_timeout": 1}
CACHES = {
    "default": {
        "BACKEND": "wwbsite.cache.DispensableCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "wwb",
        "OPTIONS": REDIS_PATIENCE,
    }
}


def _broker_url(redis_url: str) -> str:
    """Return the broker form of a Redis URL: kombu names unix sockets redis+socket://."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    number = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{parts.path}?virtual_host={number}"


# The job rows in Postgres are the ledger; a message only hurries them (architecture page).
# kombu's defaults redeliver after about 105 s; with these two options it is
# visibility_timeout + interval.
CELERY_BROKER_URL = _broker_url(REDIS_URL)
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 900,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SOFT_TIME_LIMIT = 600
CELERY_TASK_TIME_LIMIT = 660
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "episodes.play_job": {"queue": "players"},
    "episodes.sweep": {"queue": "sweep"},
    "judgments.note_expired_holds": {"queue": "sweep"},
    "judgments.settle_quiet_checks": {"queue": "sweep"},
}
SWEEP_SECONDS = read_int("SWEEP_SECONDS", 15, minimum=1)
RECOMPUTE_SECONDS = read_int("RECOMPUTE_SECONDS", 30, minimum=1)
HOLDS_SECONDS = read_int("HOLDS_SECONDS", 60, minimum=1)
# A message is void when the next one is due: none pile up while a worker is away.
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "episodes.sweep",
        "schedule": timedelta(seconds=SWEEP_SECONDS),
        "options": {"expires": SWEEP_SECONDS},
    },
    "recompute stale boards": {
        "task": "leaderboards.recompute_stale_boards",
        "schedule": timedelta(seconds=RECOMPUTE_SECONDS),
        "options": {"expires": RECOMPUTE_SECONDS},
    },
    "settle quiet checks": {
        "task": "judgments.settle_quiet_checks",
        "schedule": timedelta(seconds=SWEEP_SECONDS),
        "options": {"expires": SWEEP_SECONDS},
    },
    "clear sessions": {
        "task": "wwbsite.clear_sessions",
        "schedule": timedelta(days=1),
        "options": {"expires": 86_400},
    },
    "note expired holds": {
        "task": "judgments.note_expired_holds",
        "schedule": timedelta(seconds=HOLDS_SECONDS),
        "options": {"expires": HOLDS_SECONDS},
    },
}

# --- Episodes -------------------------------------------------------------------------------
EPISODE_SECONDS = read_int("EPISODE_SECONDS", 1800, minimum=1)
JOB_LEASE_SECONDS = read_int("JOB_LEASE_SECONDS", 60, minimum=1)
JOB_MAX_ATTEMPTS = read_int("JOB_MAX_ATTEMPTS", 5, minimum=1)

# --- API ------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["wwbsite.api.AgentKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["wwbsite.api.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["wwbsite.api.StrictJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["wwbsite.api.KeyRateThrottle", "wwbsite.api.AddressRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {
        "key": read_str("API_RATE_PER_KEY", "1200/min"),
        "address": read_str("API_RATE_PER_ADDRESS", "300/min"),
        # Replies 401: keys that are missing, unknown or no longer valid.
        "refusals": read_str("API_REFUSALS_PER_ADDRESS", "60/min"),
        "starts": read_str("STARTS_PER_ADDRESS", "120/hour"),  # of episodes in the browser
        "begins": read_str("BEGINS_PER_ADDRESS", "600/hour"),  # of studies; a lab has one address
    },
    # Without a proxy in front, X-Forwarded-For is anybody's invention.
    "NUM_PROXIES": 1 if BEHIND_TLS_PROXY else 0,
    "DEFAULT_PAGINATION_CLASS": "wwbsite.api.Pages",
    "PAGE_SIZE": 100,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "wwbsite.api.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "STRICT_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "wwbsite API",
    "VERSION": "1",
    "DESCRIPTION": "Surface episodes and leaderboards. Errors have one shape: "
    '{"error": {"code", "message", "details"}}.',
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "wwbsite.api_schema.close_bodies",
        "wwbsite.api_schema.describe_errors",
    ],
    "SCHEMA_PATH_PREFIX": r"/api/v1",
}

# --- Log-in, security -----------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AXES_VERBOSE = False
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "wwbsite.staff.client_address"
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"

# Plain HTTP is for a demo on the loopback address only; production sits behind a TLS proxy.
INSECURE_HTTP = read_bool("INSECURE_HTTP", default=False)
SECURE_SSL_REDIRECT = not INSECURE_HTTP
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]  # the health check of a container speaks plain HTTP
SESSION_COOKIE_SECURE = not INSECURE_HTTP
CSRF_COOKIE_SECURE = not INSECURE_HTTP
SECURE_HSTS_SECONDS = 0 if INSECURE_HTTP else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not INSECURE_HTTP
SECURE_HSTS_PRELOAD = not INSECURE_HTTP
if BEHIND_TLS_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
# A table of 2^8 predictions is about 6 kB; anything near this bound is not one of ours.
DATA_UPLOAD_MAX_MEMORY_SIZE = 262_144

# --- Static files, language, time -----------------------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = read_bool("STATIC_AUTOREFRESH", default=DEBUG)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if WHITENOISE_AUTOREFRESH
        else "wwbsite.static_files.HashedStorage"
    },
}
LANGUAGE_CODE = "en-gb"
# Of the participant's path (judgments.sessions); all other pages are English.
LANGUAGES = [("en-gb", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Logs -----------------------------------------------------------------------------------
_shared_processors: list[structlog.types.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                hide_in_event,
                structlog.processors.JSONRenderer(),
            ],
            "foreign_pre_chain": _shared_processors,
        },
    },
    "filters": {"short": {"()": lambda: shorten_refusal}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["short"]}
    },
    "root": {"handlers": ["stderr"], "level": read_str("LOG_LEVEL", "INFO")},
}
structlog.configure(
    processors=[*_shared_processors, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
