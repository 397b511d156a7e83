"""The SQL that turns cells into ranks and ranks into correlations.

Everything is ranked by doubled mid-ranks: with r values above (or below) and e equal ones, itself
included, a value's doubled mid-rank is 2 (r + 1) + e - 1, and rank() is r + 1. They are whole
numbers, so sums are exact and a side that is constant is found to be constant.

Values are rounded to ten significant digits before they are ranked, by the same C function as in
`scoring.ranks.round_for_ranking`: both break the same ties.
"""

# The cells that count come before this, as `cell (id, scenario, code)`.
_HUMAN = """,
scenario AS (
    SELECT slug, place FROM unnest(%s::text[]) WITH ORDINALITY AS scenario (slug, place)
),
code_rank AS (
    SELECT * FROM unnest(%s::smallint[], %s::smallint[], %s::smallint[])
        AS code_rank (code, number, doubled_rank)
),
tally AS (
    SELECT scenario, code, count(*) AS n FROM cell WHERE code IS NOT NULL GROUP BY scenario, code
),
choice_wins AS (
    -- A cell with a tie has no code. Who is chosen has two half wins, who ties has one.
    SELECT
        cell.id, cell.scenario, action.number,
        sum(CASE WHEN judgment.chosen_id = action.id THEN 2 WHEN judgment.chosen_id IS NULL THEN 1
            ELSE 0 END) AS doubled_wins
    FROM cell
    JOIN judgments_item AS item ON item.cell_id = cell.id AND item.kind = 'judgment'
    JOIN judgments_judgment AS judgment ON judgment.item_id = item.id
    JOIN catalog_action AS action ON action.id IN (item.left_id, item.right_id)
    WHERE cell.code IS NULL
    GROUP BY cell.id, cell.scenario, action.number
),
choice_rank AS (
    SELECT
        scenario, number,
        2 * rank() OVER (PARTITION BY id ORDER BY doubled_wins DESC)
            + count(*) OVER (PARTITION BY id, doubled_wins) - 1 AS doubled_rank
    FROM choice_wins
),
part AS (
    SELECT scenario, number, sum(n * doubled_rank) AS doubled_sum, sum(n) AS n_cells
    FROM tally
    JOIN code_rank USING (code)
    GROUP BY scenario, number
    UNION ALL
    SELECT scenario, number, sum(doubled_rank), count(*)
    FROM choice_rank
    GROUP BY scenario, number
),
human AS (
    SELECT
        scenario, number, sum(doubled_sum)::bigint AS doubled_sum, sum(n_cells)::bigint AS n_cells
    FROM part
    GROUP BY scenario, number
)
"""

# One row an action that somebody ranked.
_SUMS = """
SELECT scenario.place - 1 AS scenario, number, doubled_sum, n_cells
FROM human
JOIN scenario ON scenario.slug = human.scenario
ORDER BY scenario.place, number
"""
SUMS = _HUMAN + _SUMS

# One row a metric.
_CORRELATIONS = """,
side AS (
    SELECT
        metric.name, scenario.place AS scenario,
        -to_char(human.doubled_sum / (2.0::float8 * human.n_cells), '9.999999999EEEE')::float8
            AS preference,
        to_char(metric.value, '9.999999999EEEE')::float8 AS value
    FROM human
    JOIN scenario ON scenario.slug = human.scenario
    JOIN catalog_action AS action
        ON action.scenario_id = human.scenario AND action.number = human.number
    JOIN catalog_actionmetric AS stored ON stored.action_id = action.id
    CROSS JOIN LATERAL (
        VALUES ('gated', stored.rate), ('ungated', stored.ungated_rate)
    ) AS metric (name, value)
),
placed AS (
    SELECT
        name, scenario,
        2 * rank() OVER (own ORDER BY preference)
            + count(*) OVER (PARTITION BY name, scenario, preference) - 1 AS preference_within,
        2 * rank() OVER (own ORDER BY value)
            + count(*) OVER (PARTITION BY name, scenario, value) - 1 AS value_within,
        2 * rank() OVER (pool ORDER BY preference)
            + count(*) OVER (PARTITION BY name, preference) - 1 AS preference_pooled,
        2 * rank() OVER (pool ORDER BY value)
            + count(*) OVER (PARTITION BY name, value) - 1 AS value_pooled
    FROM side
    WINDOW own AS (PARTITION BY name, scenario), pool AS (PARTITION BY name)
),
-- corr() is NULL where a side is constant: undefined, never 0 or 1.
within_scenario AS (
    SELECT name, scenario, corr(preference_within, value_within) AS rho
    FROM placed
    GROUP BY name, scenario
),
pooled AS (
    SELECT name, corr(preference_pooled, value_pooled) AS rho FROM placed GROUP BY name
)
SELECT
    metric.name,
    avg(within_scenario.rho ORDER BY within_scenario.rho) AS mean_within,
    (SELECT rho FROM pooled WHERE pooled.name = metric.name) AS pooled,
    count(within_scenario.rho) AS n_defined,
    array_agg(within_scenario.rho ORDER BY scenario.place) AS within
FROM (VALUES ('gated'), ('ungated')) AS metric (name)
CROSS JOIN scenario
LEFT JOIN within_scenario
    ON within_scenario.name = metric.name AND within_scenario.scenario = scenario.place
GROUP BY metric.name
"""
CORRELATIONS = _HUMAN + _CORRELATIONS
