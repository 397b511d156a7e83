"""The SQL that turns closed episodes into means, and into a digest of what went in.

Every mean adds its values in ascending order: a floating-point sum depends on the order, and this
one on nothing but the values, so the same facts give the same bits in any database.
"""

_FACTS = """
WITH board AS (
    SELECT slug, release_id, track, budget_credits, view
    FROM leaderboards_board
    WHERE slug = ANY(%(boards)s)
),
task AS (
    -- A corrected task replaces its older version in a release; it never counts beside it.
    SELECT DISTINCT ON (board.slug, task.slug)
        board.slug AS board, task.id, task.slug, task.version,
        source.slug AS source, source.family_id AS family
    FROM board
    JOIN catalog_task AS task USING (release_id, track)
    JOIN catalog_source AS source ON source.slug = task.source_id
    ORDER BY board.slug, task.slug, task.is_current DESC, task.published_at DESC, task.version
),
episode AS (
    SELECT
        board.slug AS board, task.slug AS task, episode.id, episode.agent_id, episode.state,
        episode.cause, episode.created_at, episode.closed_at, job.seed,
        to_jsonb(score) - 'id' AS score
    FROM board
    JOIN task ON task.board = board.slug
    JOIN episodes_episode AS episode
        ON episode.task_id = task.id
        AND episode.budget_credits = board.budget_credits
        AND episode.view = board.view
        AND episode.state <> 'open'
    LEFT JOIN episodes_playerjob AS job ON job.episode_id = episode.id
    LEFT JOIN leaderboards_episodescore AS score
        ON score.episode_id = episode.id AND score.scoring_version = %(scoring_version)s
),
entry AS (
    SELECT DISTINCT episode.board, agent.id, agent.kind, agent.is_active
    FROM episode
    JOIN episodes_agent AS agent ON agent.id = episode.agent_id
),
fact AS (
    SELECT board, jsonb_build_array('task', slug, version, source, family)::text AS line
    FROM task
    UNION ALL
    SELECT board, jsonb_build_array('agent', id, kind, is_active)::text
    FROM entry
    UNION ALL
    SELECT board, jsonb_build_array(
        'episode', id, agent_id, task, state, cause, seed,
        created_at AT TIME ZONE 'UTC', closed_at AT TIME ZONE 'UTC', score
    )::text
    FROM episode
),
digest AS (
    SELECT board, encode(
        sha256(convert_to(string_agg(line, E'\\n' ORDER BY line COLLATE "C"), 'UTF8')), 'hex'
    ) AS input_digest
    FROM fact
    WHERE board IN (SELECT board FROM episode)
    GROUP BY board
)
"""

# One row a board that has a closed episode.
_DIGESTS = "SELECT board, input_digest FROM digest"
DIGESTS = _FACTS + _DIGESTS

_MEANS = """,
counted AS (
    -- A lost episode is nobody's miss. One submitted after the last scoring waits for the next.
    SELECT * FROM episode WHERE state = 'expired' OR score IS NOT NULL
),
metric AS (
    SELECT name, string_to_array(path, '/') AS path, missing
    FROM unnest(%(names)s::text[], %(paths)s::text[], %(missing)s::float8[])
        AS metric (name, path, missing)
),
trial AS (
    SELECT agent_id, task, metric.name, CASE jsonb_typeof(score #> path)
        WHEN 'boolean' THEN (score #> path)::bool::int::float8
        ELSE (score #> path)::float8
    END AS value
    FROM counted
    CROSS JOIN metric
),
task_mean AS (
    -- Every entry meets every task of the board, attempted or not.
    SELECT
        entry.id AS agent_id, task.family, task.source, task.slug, metric.name,
        avg(value.counted ORDER BY value.counted) AS mean
    FROM entry
    CROSS JOIN task
    CROSS JOIN metric
    LEFT JOIN trial
        ON trial.agent_id = entry.id AND trial.task = task.slug AND trial.name = metric.name
    CROSS JOIN LATERAL (SELECT coalesce(trial.value, metric.missing) AS counted) AS value
    GROUP BY entry.id, task.family, task.source, task.slug, metric.name
),
source_mean AS (
    SELECT agent_id, family, source, name, avg(mean ORDER BY mean) AS mean
    FROM task_mean
    GROUP BY agent_id, family, source, name
),
family_mean AS (
    SELECT agent_id, family, name, avg(mean ORDER BY mean) AS mean
    FROM source_mean
    GROUP BY agent_id, family, name
),
board_mean AS (
    SELECT agent_id, name, avg(mean ORDER BY mean) AS mean
    FROM family_mean
    GROUP BY agent_id, name
),
means AS (
    SELECT agent_id, jsonb_object_agg(name, mean) AS means FROM board_mean GROUP BY agent_id
),
families AS (
    SELECT agent_id, jsonb_object_agg(family, mean) AS family_scores
    FROM family_mean
    WHERE name = 'recovery_score'
    GROUP BY agent_id
),
sources AS (
    SELECT
        agent_id,
        array_agg(mean ORDER BY family COLLATE "C", source COLLATE "C") AS source_scores,
        array_agg(family ORDER BY family COLLATE "C", source COLLATE "C") AS source_families,
        array_agg(source ORDER BY family COLLATE "C", source COLLATE "C") AS source_slugs
    FROM source_mean
    WHERE name = 'recovery_score'
    GROUP BY agent_id
),
tally AS (
    SELECT
        agent_id, count(*) AS n_attempted, count(score) AS n_delivered,
        count(DISTINCT task) AS n_attempted_tasks
    FROM counted
    GROUP BY agent_id
),
loss AS (
    -- Lost and not run again: nothing of the same trial began after the loss and ended normally.
    SELECT lost.agent_id, count(*) AS n_lost
    FROM episode AS lost
    WHERE lost.state = 'lost' AND NOT EXISTS (
        SELECT FROM counted
        WHERE counted.agent_id = lost.agent_id
            AND counted.task = lost.task
            AND counted.seed IS NOT DISTINCT FROM lost.seed
            AND counted.created_at >= lost.closed_at
    )
    GROUP BY lost.agent_id
)
SELECT
    entry.id AS agent_id,
    entry.kind = 'player' AS is_baseline,
    entry.kind = 'person' AS is_person,
    entry.is_active,
    means.means,
    families.family_scores,
    sources.source_scores,
    sources.source_families,
    sources.source_slugs,
    coalesce(tally.n_attempted, 0) AS n_attempted,
    coalesce(tally.n_delivered, 0) AS n_delivered,
    coalesce(tally.n_attempted_tasks, 0) AS n_attempted_tasks,
    coalesce(loss.n_lost, 0) AS n_lost,
    digest.input_digest,
    (SELECT max(closed_at) FROM episode) AS facts_until,
    (SELECT count(*) FROM counted) AS n_episodes,
    (SELECT count(*) FROM task) AS n_tasks
FROM entry
CROSS JOIN digest
JOIN means ON means.agent_id = entry.id
JOIN families ON families.agent_id = entry.id
JOIN sources ON sources.agent_id = entry.id
LEFT JOIN tally ON tally.agent_id = entry.id
LEFT JOIN loss ON loss.agent_id = entry.id
ORDER BY entry.id
"""
# One row an entry of one board; the board's own columns are the same in every row.
RECORDS = _FACTS + _MEANS
