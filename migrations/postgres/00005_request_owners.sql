-- How many answers are kept for one credential is bounded, and how many tickets it may
-- have open: one must not shut out the others.

-- +goose Up
ALTER TABLE idempotency ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX idempotency_owner ON idempotency (workspace_id, owner, created_at);
CREATE INDEX stream_tickets_key ON stream_tickets (workspace_id, key_hash);

-- +goose Down
DROP INDEX stream_tickets_key;
DROP INDEX idempotency_owner;
ALTER TABLE idempotency DROP COLUMN owner;
