-- People are told as webhooks are, from the same place in the log: a row for each address of
-- mail and each browser that takes pushes. A webhook may carry links to approvals.

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
