-- Webhooks receive events of the log. The position up to which events were sent is a number for
-- each webhook, and one for each session that it is behind with, so that writing an event costs
-- nothing.

-- +goose Up
CREATE TABLE webhooks (
    workspace_id      TEXT NOT NULL REFERENCES workspaces (id),
    id                TEXT NOT NULL,
    url               TEXT NOT NULL,
    types             TEXT NOT NULL,
    enabled           BOOLEAN NOT NULL,
    disabled_reason   TEXT NOT NULL,
    secret_sealed     TEXT NOT NULL,
    old_secret_sealed TEXT NOT NULL,
    old_secret_until  BIGINT,
    failing_since     BIGINT,
    paused_until      BIGINT,
    sent_to           BIGINT NOT NULL,
    owner_node        TEXT NOT NULL,
    owner_incarnation TEXT NOT NULL,
    epoch             BIGINT NOT NULL,
    version           BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX webhooks_enabled ON webhooks (workspace_id, id) WHERE enabled;

CREATE TABLE webhook_lanes (
    workspace_id TEXT NOT NULL,
    webhook_id   TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    sent_to      BIGINT NOT NULL,
    tries        BIGINT NOT NULL,
    since        BIGINT,
    due_at       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, webhook_id, session_id),
    FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id)
);

CREATE TABLE webhook_deliveries (
    workspace_id TEXT NOT NULL,
    webhook_id   TEXT NOT NULL,
    seq          BIGINT NOT NULL,
    type         TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    state        TEXT NOT NULL,
    tries        BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    first_at     BIGINT NOT NULL,
    last_at      BIGINT NOT NULL,
    next_at      BIGINT,
    status       BIGINT NOT NULL,
    detail       TEXT NOT NULL,
    took_ms      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, webhook_id, seq),
    FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id)
);

-- +goose Down
DROP TABLE webhook_deliveries;
DROP TABLE webhook_lanes;
DROP TABLE webhooks;
