-- Files that people upload. A content is stored once per workspace and hash, in chunks; a file
-- is a name for a content, and a message that refers to a file has a row that is deleted with
-- the message. Unreferenced rows are deleted after collect_after. A new reference first moves
-- that time, so that a concurrent collector keeps the row.

-- +goose Up
CREATE TABLE file_contents (
    workspace_id  TEXT NOT NULL,
    sha256        TEXT NOT NULL,
    bytes         BIGINT NOT NULL,
    collect_after BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, sha256)
);
CREATE INDEX file_contents_collect ON file_contents (collect_after, workspace_id, sha256);

CREATE TABLE file_chunks (
    workspace_id TEXT NOT NULL,
    sha256       TEXT NOT NULL,
    number       BIGINT NOT NULL,
    data         BLOB NOT NULL,
    PRIMARY KEY (workspace_id, sha256, number),
    FOREIGN KEY (workspace_id, sha256) REFERENCES file_contents (workspace_id, sha256) ON DELETE CASCADE
);

CREATE TABLE files (
    workspace_id  TEXT NOT NULL,
    id            TEXT NOT NULL,
    name          TEXT NOT NULL,
    media_type    TEXT NOT NULL,
    sha256        TEXT NOT NULL,
    bytes         BIGINT NOT NULL,
    width         BIGINT NOT NULL,
    height        BIGINT NOT NULL,
    created_by    TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    collect_after BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, sha256) REFERENCES file_contents (workspace_id, sha256)
);
CREATE INDEX files_content ON files (workspace_id, sha256);
CREATE INDEX files_newest ON files (workspace_id, created_at, id);
CREATE INDEX files_collect ON files (collect_after, workspace_id, id);

CREATE TABLE file_uses (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    file_id      TEXT NOT NULL,
    PRIMARY KEY (workspace_id, session_id, message_id, file_id),
    FOREIGN KEY (workspace_id, session_id, message_id) REFERENCES messages (workspace_id, session_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, file_id) REFERENCES files (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX file_uses_file ON file_uses (workspace_id, file_id);

-- +goose Down
DROP TABLE file_uses;
DROP TABLE files;
DROP TABLE file_chunks;
DROP TABLE file_contents;
