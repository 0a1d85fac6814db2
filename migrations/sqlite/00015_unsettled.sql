-- The actions of which nobody knows what became are few, and looked for before each action of
-- the same kind that goes to a server outside.

-- +goose Up
CREATE INDEX executions_unknown ON executions (workspace_id, command_id) WHERE status = 'UNKNOWN';

-- +goose Down
DROP INDEX executions_unknown;
