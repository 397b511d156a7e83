"""What Django's constraints cannot say: rows of one person belong together, and facts stay."""

from django.db import migrations

SAME_PERSON = """
ALTER TABLE judgments_item ADD CONSTRAINT item_in_own_cell
    FOREIGN KEY (cell_id, participant_id) REFERENCES judgments_cell (id, participant_id)
    DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE judgments_judgment ADD CONSTRAINT judgment_of_own_item
    FOREIGN KEY (item_id, participant_id) REFERENCES judgments_item (id, participant_id)
    DEFERRABLE INITIALLY DEFERRED;
"""
ANYBODY = """
ALTER TABLE judgments_judgment DROP CONSTRAINT judgment_of_own_item;
ALTER TABLE judgments_item DROP CONSTRAINT item_in_own_cell;
"""

FORBID = """
CREATE FUNCTION judgments_forbid_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: it is only ever added to', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
"""
TABLES = ("protocolversion", "auditentry", "deletionreceipt")

# What was drawn at join stays; the time when an item was first shown is written once.
GUARD = """
CREATE FUNCTION judgments_guard_item() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(NEW) - 'shown_at' IS DISTINCT FROM to_jsonb(OLD) - 'shown_at'
       OR OLD.shown_at IS NOT NULL AND NEW.shown_at IS DISTINCT FROM OLD.shown_at
    THEN
        RAISE EXCEPTION 'UPDATE of % is refused: what was drawn at join stays', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_item BEFORE UPDATE ON judgments_item
    FOR EACH ROW EXECUTE FUNCTION judgments_guard_item();
"""
UNGUARD = """
DROP TRIGGER guard_item ON judgments_item;
DROP FUNCTION judgments_guard_item();
"""


class Migration(migrations.Migration):
    dependencies = [("judgments", "0001_initial")]

    operations = [
        migrations.RunSQL(SAME_PERSON, ANYBODY),
        migrations.RunSQL(FORBID, "DROP FUNCTION judgments_forbid_change();"),
        *(
            migrations.RunSQL(
                f"CREATE TRIGGER forbid_change BEFORE UPDATE OR DELETE ON judgments_{table} "
                "FOR EACH ROW EXECUTE FUNCTION judgments_forbid_change();",
                f"DROP TRIGGER forbid_change ON judgments_{table};",
            )
            for table in TABLES
        ),
        migrations.RunSQL(GUARD, UNGUARD),
    ]
