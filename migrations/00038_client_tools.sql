-- The tools of the program that sent a message, which are offered to the round that it begins.

-- +goose Up
ALTER TABLE messages ADD COLUMN client_tools TEXT NOT NULL DEFAULT '';
ALTER TABLE kept_messages ADD COLUMN client_tools TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE kept_messages DROP COLUMN client_tools;
ALTER TABLE messages DROP COLUMN client_tools;
