-- The author of a message: the name of the key, and its role at that time. Rounds act with the
-- permissions of that role. Older messages have no author.

-- +goose Up
ALTER TABLE messages ADD COLUMN sender_name TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN sender_role TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE messages DROP COLUMN sender_role;
ALTER TABLE messages DROP COLUMN sender_name;
