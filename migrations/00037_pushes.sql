-- A push subscription has a language of its own, and an end: an instant, or the end of the
-- sign-in in which it was made.

-- +goose Up
ALTER TABLE webhooks ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE webhooks ADD COLUMN sign_in TEXT NOT NULL DEFAULT '';
ALTER TABLE webhooks ADD COLUMN holds_until BIGINT;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN holds_until;
ALTER TABLE webhooks DROP COLUMN sign_in;
ALTER TABLE webhooks DROP COLUMN language;
