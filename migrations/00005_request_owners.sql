-- The number of stored responses and of open tickets is limited per credential, so that one
-- credential cannot exhaust the limits of the others.

-- +goose Up
ALTER TABLE idempotency ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX idempotency_owner ON idempotency (workspace_id, owner, created_at);
CREATE INDEX stream_tickets_key ON stream_tickets (workspace_id, key_hash);

-- +goose Down
DROP INDEX stream_tickets_key;
DROP INDEX idempotency_owner;
ALTER TABLE idempotency DROP COLUMN owner;
