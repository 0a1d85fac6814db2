-- The people of a workspace: a row for each identity that has used it. The owner of a chat is the person who sent
-- its first message, where the author was recorded; '' is the workspace. The id of a person who is created here is
-- made of the id of that message, so that the step needs no other source of ids.

-- +goose Up
CREATE TABLE people (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    kind         TEXT NOT NULL,
    identity     TEXT NOT NULL,
    name         TEXT NOT NULL,
    renamed      TEXT NOT NULL DEFAULT '',
    role         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    blocked_at   BIGINT,
    caps         TEXT NOT NULL DEFAULT '',
    notify       TEXT NOT NULL DEFAULT '',
    erased_at    BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX people_identity ON people (workspace_id, identity);

ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN visibility TEXT NOT NULL DEFAULT 'workspace';
ALTER TABLE automations ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE automations ADD COLUMN visibility TEXT NOT NULL DEFAULT 'workspace';

CREATE TABLE first_messages (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    sender_id    TEXT NOT NULL,
    sender_name  TEXT NOT NULL,
    sender_role  TEXT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
);
INSERT INTO first_messages (workspace_id, session_id, id, sender_id, sender_name, sender_role, at)
    SELECT m.workspace_id, m.session_id, m.id, m.sender_id, m.sender_name, m.sender_role, m.at
    FROM sessions s
    JOIN messages m ON m.workspace_id = s.workspace_id AND m.session_id = s.id
        AND m.seq = (SELECT MIN(f.seq) FROM messages f WHERE f.workspace_id = s.workspace_id AND f.session_id = s.id AND f.sender = 'USER')
    WHERE s.type = 'CHAT' AND (m.sender_id IN ('local', 'root') OR substr(m.sender_id, 1, 4) IN ('key_', 'usr_'));

INSERT INTO people (workspace_id, id, kind, identity, name, role, created_at, last_seen_at)
    SELECT workspace_id, 'per_' || substr(MIN(id), 5),
        CASE WHEN sender_id IN ('local', 'root') THEN sender_id WHEN substr(sender_id, 1, 4) = 'key_' THEN 'key' ELSE 'oidc' END,
        sender_id, MAX(sender_name),
        CASE WHEN sender_id IN ('local', 'root') THEN 'root' WHEN MIN(sender_role) = '' THEN 'member' ELSE MIN(sender_role) END,
        MIN(at), MAX(at)
    FROM first_messages GROUP BY workspace_id, sender_id;

UPDATE sessions SET owner = (
    SELECT p.id FROM first_messages f JOIN people p ON p.workspace_id = f.workspace_id AND p.identity = f.sender_id
    WHERE f.workspace_id = sessions.workspace_id AND f.session_id = sessions.id)
    WHERE type = 'CHAT' AND EXISTS (SELECT 1 FROM first_messages f WHERE f.workspace_id = sessions.workspace_id AND f.session_id = sessions.id);

DROP TABLE first_messages;

-- +goose Down
ALTER TABLE automations DROP COLUMN visibility;
ALTER TABLE automations DROP COLUMN owner;
ALTER TABLE sessions DROP COLUMN visibility;
ALTER TABLE sessions DROP COLUMN owner;
DROP TABLE people;
