-- Answering again: the round that answered a question first, and whether another answer has
-- taken a message's place.

-- +goose Up
ALTER TABLE messages ADD COLUMN retry_of TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN superseded BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE messages DROP COLUMN superseded;
ALTER TABLE messages DROP COLUMN retry_of;
