-- Long-running work at other services. A task is found by its id alone, because a callback
-- contains nothing else. open_tasks shows a View whether there are any tasks to read.

-- +goose Up
CREATE TABLE tasks (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    connector_id TEXT NOT NULL,
    command      TEXT NOT NULL,
    status       TEXT NOT NULL,
    progress     TEXT NOT NULL,
    result       TEXT NOT NULL,
    error        TEXT NOT NULL,
    deadline     BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    attempts     BIGINT NOT NULL,
    remote_id    TEXT NOT NULL,
    poll_ms      BIGINT NOT NULL,
    owed         TEXT NOT NULL,
    tries        BIGINT NOT NULL,
    due_at       BIGINT,
    seen         TEXT NOT NULL,
    late         TEXT NOT NULL,
    version      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX tasks_callback ON tasks (id, workspace_id);
CREATE INDEX tasks_newest ON tasks (workspace_id, created_at, id);
CREATE INDEX tasks_status ON tasks (workspace_id, status, created_at, id);
CREATE INDEX tasks_session ON tasks (workspace_id, session_id, created_at, id);
CREATE INDEX tasks_open ON tasks (workspace_id, session_id, created_at, id) WHERE status = 'pending' OR status = 'running' OR status = 'unknown';
CREATE INDEX tasks_due ON tasks (due_at, workspace_id, id) WHERE due_at IS NOT NULL;
ALTER TABLE sessions ADD COLUMN open_tasks BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE sessions DROP COLUMN open_tasks;
DROP TABLE tasks;
