-- The question of an approval in other languages than the workspace's. Empty: it has no translation.

-- +goose Up
ALTER TABLE approvals ADD COLUMN translations TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE approvals DROP COLUMN translations;
