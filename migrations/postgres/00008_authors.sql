-- Who wrote a message: what their key was called, and which role it had then. Rounds act
-- with the rights of that role. Messages from before have none.

-- +goose Up
ALTER TABLE messages ADD COLUMN sender_name TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN sender_role TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE messages DROP COLUMN sender_role;
ALTER TABLE messages DROP COLUMN sender_name;
