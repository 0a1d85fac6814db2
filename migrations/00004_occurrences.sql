-- An event that a run's overlap policy skipped is an occurrence too. It belongs to no schedule,
-- so its trigger is stored. Occurrences that could not be started are read when failures are
-- counted. A SEED is deleted with its automation; those left behind by earlier versions are
-- deleted here.

-- +goose Up
ALTER TABLE occurrences ADD COLUMN trigger_kind TEXT NOT NULL DEFAULT 'SCHEDULED';
CREATE INDEX occurrences_failed ON occurrences (workspace_id, automation_id, recorded_at, id) WHERE state = 'FAILED';
DELETE FROM sessions WHERE type = 'SEED' AND NOT EXISTS (SELECT 1 FROM automations a
    WHERE a.workspace_id = sessions.workspace_id AND a.id = sessions.automation_id AND a.deleted_at IS NULL);

-- +goose Down
DROP INDEX occurrences_failed;
ALTER TABLE occurrences DROP COLUMN trigger_kind;
