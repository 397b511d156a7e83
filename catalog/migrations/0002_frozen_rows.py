"""Refuse every change of what was published, whoever asks: code, shell or psql."""

from django.db import migrations

# restrict_violation belongs to the class that Django raises as IntegrityError.
FREEZE = """
CREATE FUNCTION catalog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of a published row of % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER outcome_frozen BEFORE UPDATE OR DELETE ON catalog_outcome
  FOR EACH ROW EXECUTE FUNCTION catalog_refuse_change();

CREATE TRIGGER task_frozen BEFORE UPDATE ON catalog_task
  FOR EACH ROW WHEN (to_jsonb(OLD) - 'is_current' IS DISTINCT FROM to_jsonb(NEW) - 'is_current')
  EXECUTE FUNCTION catalog_refuse_change();
"""

THAW = """
DROP TRIGGER task_frozen ON catalog_task;
DROP TRIGGER outcome_frozen ON catalog_outcome;
DROP FUNCTION catalog_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial")]
    operations = [migrations.RunSQL(FREEZE, THAW)]
