-- The payer: the name that a client sends with a message, and that of each call made for it.

-- +goose Up
ALTER TABLE messages ADD COLUMN payer TEXT NOT NULL DEFAULT '';
ALTER TABLE roundtrips ADD COLUMN payer TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE roundtrips DROP COLUMN payer;
ALTER TABLE messages DROP COLUMN payer;
