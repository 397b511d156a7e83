"""The database refuses to rewrite what agents did, whoever asks. TRUNCATE still empties a table."""

from django.db import migrations

FORBID = """
CREATE FUNCTION episodes_forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: what agents did is only ever added to', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
"""

# A closed episode is final as a whole; an open one keeps its identity and never un-spends.
GUARD = """
CREATE FUNCTION episodes_guard_episode() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'open' AND NEW IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'episode % is %, which is final', OLD.id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.id, NEW.agent_id, NEW.task_id, NEW.budget_credits, NEW.view, NEW.created_at,
        NEW.deadline_at)
        IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.task_id, OLD.budget_credits, OLD.view, OLD.created_at,
        OLD.deadline_at)
    THEN
        RAISE EXCEPTION 'episode % keeps its agent, task, budget, view and times', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.spent_credits < OLD.spent_credits THEN
        RAISE EXCEPTION 'episode %: spent credits do not come back', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_episode BEFORE UPDATE ON episodes_episode
    FOR EACH ROW EXECUTE FUNCTION episodes_guard_episode();
CREATE TRIGGER forbid_delete BEFORE DELETE ON episodes_episode
    FOR EACH ROW EXECUTE FUNCTION episodes_forbid_change();
"""
UNGUARD = """
DROP TRIGGER forbid_delete ON episodes_episode;
DROP TRIGGER guard_episode ON episodes_episode;
DROP FUNCTION episodes_guard_episode();
"""

TABLES = ("purchase", "measurement", "prediction")


class Migration(migrations.Migration):
    dependencies = [("episodes", "0001_initial")]

    operations = [
        migrations.AlterModelOptions(
            name="measurement",
            options={
                "ordering": ["episode", "position"],
                "permissions": [("view_utilities", "Can view utilities, also of sealed tasks")],
            },
        ),
        migrations.RunSQL(FORBID, "DROP FUNCTION episodes_forbid_change();"),
        migrations.RunSQL(GUARD, UNGUARD),
        *(
            migrations.RunSQL(
                f"CREATE TRIGGER forbid_change BEFORE UPDATE OR DELETE ON episodes_{table} "
                "FOR EACH ROW EXECUTE FUNCTION episodes_forbid_change();",
                f"DROP TRIGGER forbid_change ON episodes_{table};",
            )
            for table in TABLES
        ),
    ]
