-- People are notified like webhooks, from the same position in the log: a row for each mail
-- address and each browser with a push subscription. A webhook may contain links to approvals.

-- +goose Up
ALTER TABLE webhooks ADD COLUMN kind TEXT NOT NULL DEFAULT 'http';
ALTER TABLE webhooks ADD COLUMN links BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE webhooks ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE webhooks ADD COLUMN label TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE webhooks DROP COLUMN label;
ALTER TABLE webhooks DROP COLUMN person;
ALTER TABLE webhooks DROP COLUMN links;
ALTER TABLE webhooks DROP COLUMN kind;
