-- A browser that takes pushes is told in a language of its own, for as long as it holds: until
-- an instant, or until the sign-in ends that it was made in.

-- +goose Up
ALTER TABLE webhooks ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE webhooks ADD COLUMN sign_in TEXT NOT NULL DEFAULT '';
ALTER TABLE webhooks ADD COLUMN holds_until BIGINT;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN holds_until;
ALTER TABLE webhooks DROP COLUMN sign_in;
ALTER TABLE webhooks DROP COLUMN language;
