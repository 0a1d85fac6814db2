-- Secrets at rest. A webhook's token is found by its hash; values stored in plain text by
-- earlier versions are encrypted when the server starts, because only the server has the key.

-- +goose Up
ALTER TABLE providers ADD COLUMN env_grant TEXT NOT NULL DEFAULT '';
DROP INDEX automations_hook;
ALTER TABLE automations RENAME COLUMN hook_token TO hook_sealed;
ALTER TABLE automations ADD COLUMN hook_hash TEXT NOT NULL DEFAULT '';
CREATE INDEX automations_hook ON automations (id, workspace_id) WHERE hook_sealed <> '';

-- +goose Down
DROP INDEX automations_hook;
ALTER TABLE automations DROP COLUMN hook_hash;
ALTER TABLE automations RENAME COLUMN hook_sealed TO hook_token;
CREATE INDEX automations_hook ON automations (id, workspace_id) WHERE hook_token <> '';
ALTER TABLE providers DROP COLUMN env_grant;
