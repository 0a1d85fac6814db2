-- A workspace has lanes: sessions that share a slot and a queue. A lane has one seat, the lane of automations may have
-- more; each seat has at most one holder.

-- +goose Up
ALTER TABLE sessions ADD COLUMN lane TEXT NOT NULL DEFAULT 'workspace';
ALTER TABLE sessions ADD COLUMN seat BIGINT NOT NULL DEFAULT 0;
DROP INDEX sessions_slot;
CREATE UNIQUE INDEX sessions_slot ON sessions (workspace_id, lane, seat) WHERE holds_slot;
DROP INDEX sessions_call_aside;
CREATE INDEX sessions_call_aside ON sessions (workspace_id, lane, last_event_time) WHERE call_aside;
ALTER TABLE queue ADD COLUMN lane TEXT NOT NULL DEFAULT 'workspace';
DROP INDEX queue_order;
CREATE INDEX queue_order ON queue (workspace_id, lane, number, session_id);

-- +goose Down
DROP INDEX queue_order;
CREATE INDEX queue_order ON queue (workspace_id, number, session_id);
ALTER TABLE queue DROP COLUMN lane;
DROP INDEX sessions_call_aside;
CREATE INDEX sessions_call_aside ON sessions (workspace_id, last_event_time) WHERE call_aside;
DROP INDEX sessions_slot;
CREATE UNIQUE INDEX sessions_slot ON sessions (workspace_id) WHERE holds_slot;
ALTER TABLE sessions DROP COLUMN seat;
ALTER TABLE sessions DROP COLUMN lane;
