#!/bin/sh
# Creates the database and its two roles, once, as the superuser (PGHOST, PGUSER as usual):
# wwbsite_owner changes tables, wwbsite_app, which web and workers use, only rows.
set -eu

psql --set=ON_ERROR_STOP=1 --dbname=postgres \
    --set=owner_password="$OWNER_PASSWORD" --set=app_password="$APP_PASSWORD" <<'SQL'
CREATE ROLE wwbsite_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE wwbsite_app LOGIN PASSWORD :'app_password';
CREATE DATABASE wwbsite OWNER wwbsite_owner;
REVOKE ALL ON DATABASE wwbsite FROM PUBLIC;
GRANT CONNECT ON DATABASE wwbsite TO wwbsite_app;

\connect wwbsite
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO wwbsite_owner;
GRANT USAGE ON SCHEMA public TO wwbsite_app;
-- Also for the tables of every later migration.
ALTER DEFAULT PRIVILEGES FOR ROLE wwbsite_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO wwbsite_app;
ALTER DEFAULT PRIVILEGES FOR ROLE wwbsite_owner IN SCHEMA public
    GRANT USAGE, SELECT ON SEQUENCES TO wwbsite_app;
SQL
