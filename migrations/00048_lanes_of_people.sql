-- Each person has a lane where a workspace has more than one, or no session yet; the workspace of one person keeps a single lane.
-- The setting is written into the settings of workspaces that were made before it existed.

-- +goose Up
ALTER TABLE automations ADD COLUMN lane TEXT NOT NULL DEFAULT 'owner';
UPDATE workspaces SET settings = '{"lanes":"' || CASE
        WHEN (SELECT COUNT(*) FROM people p WHERE p.workspace_id = workspaces.id) > 1
            OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.workspace_id = workspaces.id) THEN 'person'
        ELSE 'workspace' END || CASE WHEN settings = '{}' THEN '"}' ELSE '",' || substr(settings, 2) END
    WHERE settings LIKE '{%' AND settings NOT LIKE '%"lanes":"%';
UPDATE sessions SET lane = CASE WHEN owner <> '' THEN 'person:' || owner WHEN type = 'AUTOMATION' THEN 'automations' ELSE lane END
    WHERE workspace_id IN (SELECT id FROM workspaces WHERE settings LIKE '{"lanes":"person"%');
UPDATE sessions SET lane = COALESCE((SELECT p.lane FROM sessions p
        WHERE p.workspace_id = sessions.workspace_id AND p.id = sessions.parent_session_id), lane)
    WHERE parent_session_id <> '';
UPDATE queue SET lane = COALESCE((SELECT s.lane FROM sessions s
        WHERE s.workspace_id = queue.workspace_id AND s.id = queue.session_id), lane);

-- +goose Down
ALTER TABLE automations DROP COLUMN lane;
