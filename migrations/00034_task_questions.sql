-- The question that a task's service has for a person, and the answer that has yet to be sent to
-- the service. Empty: none.

-- +goose Up
ALTER TABLE tasks ADD COLUMN question TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE tasks DROP COLUMN question;
