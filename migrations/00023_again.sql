-- Retries: the round that answered a question first, and whether a message was superseded by
-- another answer.

-- +goose Up
ALTER TABLE messages ADD COLUMN retry_of TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN superseded BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE messages DROP COLUMN superseded;
ALTER TABLE messages DROP COLUMN retry_of;
