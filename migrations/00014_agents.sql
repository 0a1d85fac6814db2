-- Agents: their current definition and every earlier version, because a running session keeps
-- the version that it was started with. A workspace counts the changes of its agents, so that
-- reading its row shows whether the cached agents are stale.

-- +goose Up
ALTER TABLE workspaces ADD COLUMN agents_version BIGINT NOT NULL DEFAULT 0;

CREATE TABLE agents (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    command      TEXT NOT NULL,
    definition   TEXT NOT NULL,
    version      BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX agents_command ON agents (workspace_id, command);

CREATE TABLE agent_versions (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    agent_id     TEXT NOT NULL,
    version      BIGINT NOT NULL,
    definition   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, agent_id, version)
);

-- +goose Down
DROP TABLE agent_versions;
DROP TABLE agents;
ALTER TABLE workspaces DROP COLUMN agents_version;
