-- Maps a client's own history to the session that recorded it: programs that send a whole
-- conversation with each request, without an id, are recognised by its hash. Rows are deleted
-- with their session.

-- +goose Up
CREATE TABLE known_histories (
    workspace_id TEXT NOT NULL,
    hash         TEXT NOT NULL,
    number       BIGINT NOT NULL,
    session_id   TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash, number),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX known_histories_session ON known_histories (workspace_id, session_id, message_id);

-- +goose Down
DROP TABLE known_histories;
