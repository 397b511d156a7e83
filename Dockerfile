# One image for web, workers, clock and management commands; compose.yaml says which is which.
FROM python:3.13-slim AS packages
WORKDIR /app
COPY requirements.lock .
RUN python -m venv .venv \
    && .venv/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement requirements.lock

FROM python:3.13-slim
WORKDIR /app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1
RUN useradd --system --no-create-home wwbsite
COPY --from=packages /app/.venv .venv
COPY . .
# The settings want values; collecting files opens no connection.
RUN python -m compileall -q wwbsite leaderboards episodes judgments completions catalog scoring \
    && SECRET_KEY=build DATABASE_URL=postgresql:///build REDIS_URL=redis://build \
       python manage.py collectstatic --no-input
USER wwbsite
EXPOSE 8000
CMD ["gunicorn", "wwbsite.wsgi", "--bind=0.0.0.0:8000", "--worker-class=gthread", "--workers=2", \
     "--threads=8", "--logger-class=wwbsite.access_log.AccessLogger", \
     "--no-control-socket", "--worker-tmp-dir=/dev/shm"]
