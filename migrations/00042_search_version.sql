-- The version of the tokenizer with which the texts of a workspace were indexed
-- (repository/search, Version).

-- +goose Up
ALTER TABLE workspaces ADD COLUMN search_version BIGINT NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE workspaces DROP COLUMN search_version;
