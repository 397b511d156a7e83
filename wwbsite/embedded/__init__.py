"""PostgreSQL and Valkey as child processes, for development, demo and tests.

Production sets DATABASE_URL and REDIS_URL and uses nothing from here
(docs/decisions/0001-embedded-services.md).
"""
