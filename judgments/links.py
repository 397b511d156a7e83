"""What lets a participant in: an unguessable link, or the name that a platform gives."""

import hashlib
import secrets
from uuid import UUID

MAX_PID = 80  # of a normalised one: small letters of "İ" are two


def new_token() -> str:
    """Return the secret part of a personal link, 256 bits."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """Return what is stored of a token. It is random, so no slow hash is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_completion_code() -> str:
    """Return a code that nobody can guess, easy to type."""
    return secrets.token_hex(5).upper()


def normalise_pid(pid: str) -> str:
    """Return a platform's participant id as it is compared: no spaces, small letters."""
    return "".join(pid.split()).lower()


def pseudonym(study_slug: str, participant_id: UUID) -> str:
    """Return the name of a participant in exports: the same in every export of the study.

    A digest of the random id: whoever has that (staff) can find the rows; nobody can go back.
    """
    line = f"wwbsite export\n{study_slug}\n{participant_id}"
    return f"p-{hashlib.sha256(line.encode()).hexdigest()[:16]}"
