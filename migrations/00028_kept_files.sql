-- File references of messages that outlive their session for a fork, so that their files are
-- kept too.

-- +goose Up
CREATE TABLE kept_file_uses (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    file_id      TEXT NOT NULL,
    PRIMARY KEY (workspace_id, session_id, message_id, file_id),
    FOREIGN KEY (workspace_id, session_id, message_id) REFERENCES kept_messages (workspace_id, session_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, file_id) REFERENCES files (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX kept_file_uses_file ON kept_file_uses (workspace_id, file_id);

-- +goose Down
DROP TABLE kept_file_uses;
