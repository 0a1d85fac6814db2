-- The question of an approval in languages other than the workspace's. Empty: no translation.

-- +goose Up
ALTER TABLE approvals ADD COLUMN translations TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE approvals DROP COLUMN translations;
