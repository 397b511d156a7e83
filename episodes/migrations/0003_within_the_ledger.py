"""The database refuses what the ledger never writes: a purchase or a measurement beyond it."""

from django.db import migrations

# The ledger raises spent_credits, which a constraint holds to the budget, before it writes rows.
GUARD = """
CREATE FUNCTION episodes_guard_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM episodes_episode WHERE id = NEW.episode_id AND state = 'open';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'episode % is closed: it takes no more %', NEW.episode_id, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION episodes_guard_measurement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM episodes_episode
        WHERE id = NEW.episode_id AND state = 'open' AND spent_credits >= NEW.position;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'episode %: measurement % was not paid for', NEW.episode_id, NEW.position
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_insert BEFORE INSERT ON episodes_purchase
    FOR EACH ROW EXECUTE FUNCTION episodes_guard_purchase();
CREATE TRIGGER guard_insert BEFORE INSERT ON episodes_measurement
    FOR EACH ROW EXECUTE FUNCTION episodes_guard_measurement();
"""
UNGUARD = """
DROP TRIGGER guard_insert ON episodes_measurement;
DROP TRIGGER guard_insert ON episodes_purchase;
DROP FUNCTION episodes_guard_measurement();
DROP FUNCTION episodes_guard_purchase();
"""


class Migration(migrations.Migration):
    dependencies = [("episodes", "0002_append_only")]
    operations = [migrations.RunSQL(GUARD, UNGUARD)]
