-- Actions with an unknown outcome are few, and are searched for before each action of the same
-- kind that goes to an external server.

-- +goose Up
CREATE INDEX executions_unknown ON executions (workspace_id, command_id) WHERE status = 'UNKNOWN';

-- +goose Down
DROP INDEX executions_unknown;
