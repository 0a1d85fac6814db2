-- What the service of a task asks a person in the middle of it, and what was answered that it
-- has yet to be told. Empty: nothing.

-- +goose Up
ALTER TABLE tasks ADD COLUMN question TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE tasks DROP COLUMN question;
