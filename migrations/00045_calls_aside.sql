-- A session that loses the slot during a call of the AI keeps its call (call_aside). An answer that then needs the slot to
-- be acted on is stored until the session has it again.

-- +goose Up
ALTER TABLE sessions ADD COLUMN call_aside BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX sessions_call_aside ON sessions (workspace_id, last_event_time) WHERE call_aside;
CREATE TABLE held_answers (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    raw          TEXT NOT NULL,
    PRIMARY KEY (workspace_id, session_id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE held_answers;
DROP INDEX sessions_call_aside;
ALTER TABLE sessions DROP COLUMN call_aside;
