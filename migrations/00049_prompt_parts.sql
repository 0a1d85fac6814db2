-- What the parts of a prompt are estimated at, in tokens, and how much of it is the beginning of the session's prompt before.

-- +goose Up
ALTER TABLE roundtrips ADD COLUMN prompt_rules BIGINT NOT NULL DEFAULT 0;
ALTER TABLE roundtrips ADD COLUMN prompt_commands BIGINT NOT NULL DEFAULT 0;
ALTER TABLE roundtrips ADD COLUMN prompt_data BIGINT NOT NULL DEFAULT 0;
ALTER TABLE roundtrips ADD COLUMN prompt_history BIGINT NOT NULL DEFAULT 0;
ALTER TABLE roundtrips ADD COLUMN prompt_reused BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE roundtrips DROP COLUMN prompt_reused;
ALTER TABLE roundtrips DROP COLUMN prompt_history;
ALTER TABLE roundtrips DROP COLUMN prompt_data;
ALTER TABLE roundtrips DROP COLUMN prompt_commands;
ALTER TABLE roundtrips DROP COLUMN prompt_rules;
