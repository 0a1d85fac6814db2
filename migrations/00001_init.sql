-- Times are microseconds since 1970 in UTC. JSON is text: what is replayed, hashed or
-- signed must come back byte for byte. Every key begins with the workspace. Tables of
-- short rows that every turn adds to are WITHOUT ROWID: a commit writes a page less.

-- +goose Up
CREATE TABLE workspaces (
    id             TEXT NOT NULL PRIMARY KEY,
    name           TEXT NOT NULL,
    settings       TEXT NOT NULL,
    last_seq       BIGINT NOT NULL DEFAULT 0,
    last_change_id TEXT NOT NULL DEFAULT '',
    queue_length   BIGINT NOT NULL DEFAULT 0,
    pruned_to      BIGINT NOT NULL DEFAULT 0,
    created_at     BIGINT NOT NULL
);

CREATE TABLE sessions (
    workspace_id               TEXT NOT NULL REFERENCES workspaces (id),
    id                         TEXT NOT NULL,
    type                       TEXT NOT NULL,
    name                       TEXT NOT NULL,
    phase                      TEXT NOT NULL,
    status                     TEXT NOT NULL,
    end_reason                 TEXT NOT NULL,
    holds_slot                 BOOLEAN NOT NULL,
    slot_since                 BIGINT,
    wants_slot                 BOOLEAN NOT NULL,
    queued_at                  BIGINT,
    external_id                TEXT NOT NULL,
    parent_session_id          TEXT NOT NULL,
    automation_id              TEXT NOT NULL,
    trigger_kind               TEXT NOT NULL,
    scheduled_execution_time   BIGINT,
    provider_id                TEXT NOT NULL,
    model                      TEXT NOT NULL,
    require_validation         BOOLEAN NOT NULL,
    pinned                     BOOLEAN NOT NULL,
    wake_at                    BIGINT,
    created_at                 BIGINT NOT NULL,
    updated_at                 BIGINT NOT NULL,
    last_event_time            BIGINT,
    last_user_interaction_time BIGINT,
    version                    BIGINT NOT NULL,
    run_epoch                  BIGINT NOT NULL,
    owner_node                 TEXT NOT NULL,
    owner_incarnation          TEXT NOT NULL,
    last_seq                   BIGINT NOT NULL,
    session_seq                BIGINT NOT NULL,
    last_transition_id         TEXT NOT NULL,
    inbox_pending              BIGINT NOT NULL DEFAULT 0,
    open_approvals             BIGINT NOT NULL DEFAULT 0,
    state                      TEXT NOT NULL,
    budgets                    TEXT NOT NULL,
    usage                      TEXT NOT NULL,
    reserved_micros            BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX sessions_slot ON sessions (workspace_id) WHERE holds_slot;
CREATE UNIQUE INDEX sessions_external ON sessions (workspace_id, external_id) WHERE external_id <> '';
CREATE INDEX sessions_newest ON sessions (workspace_id, created_at, id);
CREATE INDEX sessions_automation ON sessions (workspace_id, automation_id, created_at) WHERE automation_id <> '';
CREATE INDEX sessions_failed ON sessions (workspace_id, automation_id) WHERE type = 'AUTOMATION' AND phase = 'COMPLETED' AND (end_reason = 'ERROR' OR end_reason = 'TIMEOUT' OR end_reason = 'LIMIT_REACHED');
CREATE INDEX sessions_runs ON sessions (workspace_id, automation_id, created_at, id) WHERE type = 'AUTOMATION' AND phase <> 'COMPLETED';
CREATE INDEX sessions_waiting ON sessions (workspace_id, last_event_time) WHERE wants_slot OR inbox_pending > 0;
CREATE INDEX sessions_timer ON sessions (wake_at, workspace_id, id) WHERE wake_at IS NOT NULL;
CREATE INDEX sessions_network ON sessions (workspace_id, last_event_time, id) WHERE phase = 'WAITING_NETWORK_RETRY';
CREATE INDEX sessions_reserved ON sessions (workspace_id) WHERE reserved_micros > 0;

CREATE TABLE messages (
    workspace_id        TEXT NOT NULL,
    session_id          TEXT NOT NULL,
    id                  TEXT NOT NULL,
    round_id            TEXT NOT NULL,
    seq                 BIGINT,
    at                  BIGINT NOT NULL,
    sender              TEXT NOT NULL,
    status              TEXT NOT NULL,
    sender_id           TEXT NOT NULL,
    rich                TEXT NOT NULL,
    text_content        TEXT NOT NULL,
    ai                  TEXT NOT NULL,
    raw                 TEXT NOT NULL,
    system              TEXT NOT NULL,
    run                 TEXT NOT NULL,
    answers_call        TEXT NOT NULL,
    exclude_from_prompt BOOLEAN NOT NULL,
    PRIMARY KEY (workspace_id, session_id, id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX messages_order ON messages (workspace_id, session_id, seq);

CREATE TABLE executions (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    round_id     TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    call_id      TEXT NOT NULL,
    position     BIGINT NOT NULL,
    command      TEXT NOT NULL,
    params       TEXT NOT NULL,
    repeat       BOOLEAN NOT NULL,
    command_id   TEXT NOT NULL,
    kind         TEXT NOT NULL,
    effect       TEXT NOT NULL,
    status       TEXT NOT NULL,
    attempt      BIGINT NOT NULL,
    approval_id  TEXT NOT NULL,
    digest       TEXT NOT NULL,
    grant_id     TEXT NOT NULL,
    result       TEXT NOT NULL,
    result_text  TEXT NOT NULL,
    note         TEXT NOT NULL,
    error        TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    started_at   BIGINT,
    ended_at     BIGINT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX executions_grant ON executions (workspace_id, grant_id, session_id) WHERE grant_id <> '';
CREATE INDEX executions_answer ON executions (workspace_id, session_id, message_id, position);
CREATE INDEX executions_time ON executions (workspace_id, session_id, created_at, position, id);

CREATE TABLE approvals (
    workspace_id      TEXT NOT NULL,
    id                TEXT NOT NULL,
    session_id        TEXT NOT NULL,
    round_id          TEXT NOT NULL,
    kind              TEXT NOT NULL,
    status            TEXT NOT NULL,
    reasons           TEXT NOT NULL,
    actions           TEXT NOT NULL,
    module            TEXT NOT NULL,
    budget            TEXT NOT NULL,
    response_schema   TEXT NOT NULL,
    cancel_message_id TEXT NOT NULL,
    question          TEXT NOT NULL,
    expires_at        BIGINT,
    on_expiry         TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    settled_by        TEXT NOT NULL,
    settled_at        BIGINT,
    decision          TEXT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX approvals_session ON approvals (workspace_id, session_id, created_at);
CREATE INDEX approvals_newest ON approvals (workspace_id, status, created_at, id);

CREATE TABLE transitions (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    number       BIGINT NOT NULL,
    from_phase   TEXT NOT NULL,
    to_phase     TEXT NOT NULL,
    event        TEXT NOT NULL,
    reason       TEXT NOT NULL,
    status       TEXT NOT NULL,
    round_id     TEXT NOT NULL,
    epoch        BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_id, number),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
) WITHOUT ROWID;

-- Roundtrips outlive their session: what was spent stays spent.
CREATE TABLE roundtrips (
    workspace_id       TEXT NOT NULL REFERENCES workspaces (id),
    id                 TEXT NOT NULL,
    session_id         TEXT NOT NULL,
    session_type       TEXT NOT NULL,
    automation_id      TEXT NOT NULL,
    round_id           TEXT NOT NULL,
    message_id         TEXT NOT NULL,
    number             BIGINT NOT NULL,
    reason             TEXT NOT NULL,
    provider_id        TEXT NOT NULL,
    provider_kind      TEXT NOT NULL,
    model              TEXT NOT NULL,
    purpose            TEXT NOT NULL,
    outcome            TEXT NOT NULL,
    error              TEXT NOT NULL,
    input_tokens       BIGINT NOT NULL,
    cache_read_tokens  BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens      BIGINT NOT NULL,
    reasoning_tokens   BIGINT NOT NULL,
    cost               DOUBLE PRECISION,
    prompt_hash        TEXT NOT NULL,
    prompt_tokens      BIGINT NOT NULL,
    streamed           BOOLEAN NOT NULL,
    started_at         BIGINT,
    first_token_at     BIGINT,
    ended_at           BIGINT,
    PRIMARY KEY (workspace_id, id)
) WITHOUT ROWID;
CREATE INDEX roundtrips_session ON roundtrips (workspace_id, session_id, number);
CREATE INDEX roundtrips_spent ON roundtrips (workspace_id, ended_at);

-- The log. Events outlive their session too: the numbers have no gaps.
CREATE TABLE events (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    seq          BIGINT NOT NULL,
    session_id   TEXT NOT NULL,
    session_seq  BIGINT NOT NULL,
    type         TEXT NOT NULL,
    at           BIGINT NOT NULL,
    change_id    TEXT NOT NULL,
    data         TEXT NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX events_session ON events (workspace_id, session_id, seq) WHERE session_id <> '';

-- The mark of a transaction that wrote no event, by which it is known whether a
-- COMMIT without a reply was carried out. Rows are of use for seconds.
CREATE TABLE changes (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    at           BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE TABLE inbox (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    dedupe_key   TEXT NOT NULL,
    kind         TEXT NOT NULL,
    if_busy      TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    done_at      BIGINT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX inbox_dedupe ON inbox (workspace_id, session_id, dedupe_key) WHERE dedupe_key <> '';
CREATE INDEX inbox_waiting ON inbox (workspace_id, session_id, created_at, id) WHERE done_at IS NULL;

CREATE TABLE queue (
    workspace_id TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    number       BIGINT NOT NULL,
    trigger_kind TEXT NOT NULL,
    reason       TEXT NOT NULL,
    since        BIGINT NOT NULL,
    not_before   BIGINT,
    preempting   BOOLEAN NOT NULL,
    PRIMARY KEY (workspace_id, session_id),
    FOREIGN KEY (workspace_id, session_id) REFERENCES sessions (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX queue_order ON queue (workspace_id, number, session_id);

-- lease_until is on the database's own clock, the only one that nodes compare.
CREATE TABLE nodes (
    id          TEXT NOT NULL PRIMARY KEY,
    incarnation TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    renewed_at  BIGINT NOT NULL
);

-- Single-use tickets of event streams, looked up before their workspace is known.
CREATE TABLE stream_tickets (
    workspace_id TEXT NOT NULL,
    hash         TEXT NOT NULL,
    role         TEXT NOT NULL,
    name         TEXT NOT NULL,
    key_hash     TEXT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);
CREATE UNIQUE INDEX stream_tickets_hash ON stream_tickets (hash, workspace_id);

CREATE TABLE idempotency (
    workspace_id TEXT NOT NULL,
    key          TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    node         TEXT NOT NULL,
    incarnation  TEXT NOT NULL,
    attempt_id   TEXT NOT NULL,
    applied      BOOLEAN NOT NULL,
    seq          BIGINT NOT NULL,
    created_id   TEXT NOT NULL,
    status       BIGINT NOT NULL,
    headers      TEXT NOT NULL,
    body         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at, workspace_id);

CREATE TABLE keys (
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    id           TEXT NOT NULL,
    name         TEXT NOT NULL,
    role         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    hash         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at   BIGINT,
    PRIMARY KEY (workspace_id, id)
);
-- A key is looked up before its workspace is known.
CREATE UNIQUE INDEX keys_hash ON keys (hash, workspace_id);

CREATE TABLE providers (
    workspace_id  TEXT NOT NULL REFERENCES workspaces (id),
    id            TEXT NOT NULL,
    name          TEXT NOT NULL,
    kind          TEXT NOT NULL,
    config        TEXT NOT NULL,
    secret_sealed TEXT NOT NULL,
    secret_mask   TEXT NOT NULL,
    is_default    BOOLEAN NOT NULL,
    version       BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX providers_default ON providers (workspace_id) WHERE is_default;

CREATE TABLE zones (
    workspace_id       TEXT NOT NULL REFERENCES workspaces (id),
    id                 TEXT NOT NULL,
    name               TEXT NOT NULL,
    description        TEXT NOT NULL,
    colour             TEXT NOT NULL,
    position           BIGINT NOT NULL,
    require_validation BOOLEAN NOT NULL,
    version            BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    deleted_at         BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX zones_order ON zones (workspace_id, position, name, id) WHERE deleted_at IS NULL;

CREATE TABLE tool_types (
    workspace_id  TEXT NOT NULL REFERENCES workspaces (id),
    id            TEXT NOT NULL,
    name          TEXT NOT NULL,
    description   TEXT NOT NULL,
    config_schema TEXT NOT NULL,
    entry_schema  TEXT NOT NULL,
    version       BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- deleted_with is the zone or tool by whose deletion a row went: what was deleted for
-- itself stays away when that one comes back.
CREATE TABLE tools (
    workspace_id       TEXT NOT NULL,
    id                 TEXT NOT NULL,
    zone_id            TEXT NOT NULL,
    tool_type          TEXT NOT NULL,
    name               TEXT NOT NULL,
    description        TEXT NOT NULL,
    config             TEXT NOT NULL,
    always_send        BOOLEAN NOT NULL,
    require_validation BOOLEAN NOT NULL,
    position           BIGINT NOT NULL,
    version            BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    deleted_at         BIGINT,
    deleted_with       TEXT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, zone_id) REFERENCES zones (workspace_id, id)
);
CREATE INDEX tools_zone ON tools (workspace_id, zone_id, position, name, id) WHERE deleted_at IS NULL;

CREATE TABLE entries (
    workspace_id TEXT NOT NULL,
    id           TEXT NOT NULL,
    tool_id      TEXT NOT NULL,
    at           BIGINT NOT NULL,
    data         TEXT NOT NULL,
    version      BIGINT NOT NULL,
    session_id   TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    deleted_at   BIGINT,
    deleted_with TEXT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, tool_id) REFERENCES tools (workspace_id, id)
);
CREATE INDEX entries_time ON entries (workspace_id, tool_id, at, id) WHERE deleted_at IS NULL;
CREATE INDEX entries_deleted ON entries (workspace_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE TABLE documents (
    workspace_id   TEXT NOT NULL REFERENCES workspaces (id),
    id             TEXT NOT NULL,
    key            TEXT NOT NULL,
    title          TEXT NOT NULL,
    body           TEXT NOT NULL,
    published_body TEXT NOT NULL,
    version        BIGINT NOT NULL,
    published_at   BIGINT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    deleted_at     BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX documents_key ON documents (workspace_id, key) WHERE deleted_at IS NULL;

-- What was published; version is that of the document when it was.
CREATE TABLE document_versions (
    workspace_id TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    version      BIGINT NOT NULL,
    title        TEXT NOT NULL,
    body         TEXT NOT NULL,
    published_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, document_id, version),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id) ON DELETE CASCADE
);

-- What the full text search finds: a row for each thing that is not deleted and has a
-- text, two for a document whose draft is not what was published. Its words, folded,
-- stand in search_words under the same number; they are cut at spaces and nowhere else.
CREATE TABLE search (
    number       INTEGER NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL REFERENCES workspaces (id),
    kind         TEXT NOT NULL,
    id           TEXT NOT NULL,
    audience     TEXT NOT NULL,
    tool_id      TEXT NOT NULL,
    at           BIGINT NOT NULL
);
CREATE UNIQUE INDEX search_thing ON search (workspace_id, id, audience);
CREATE INDEX search_tool ON search (workspace_id, tool_id) WHERE tool_id <> '';
CREATE VIRTUAL TABLE search_words USING fts5(title, body, content = '', contentless_delete = 1, tokenize = 'ascii');

-- A standing order. next_at is when the scheduler must look at it; watches says that
-- entries made in a tool start it, seen_seq up to which event it has looked.
CREATE TABLE automations (
    workspace_id       TEXT NOT NULL REFERENCES workspaces (id),
    id                 TEXT NOT NULL,
    name               TEXT NOT NULL,
    seed_session_id    TEXT NOT NULL,
    provider_id        TEXT NOT NULL,
    enabled            BOOLEAN NOT NULL,
    disabled_reason    TEXT NOT NULL,
    schedule           TEXT NOT NULL,
    misfire            TEXT NOT NULL,
    overlap            TEXT NOT NULL,
    validation         TEXT NOT NULL,
    require_validation BOOLEAN NOT NULL,
    completion         TEXT NOT NULL,
    tags               TEXT NOT NULL,
    triggers           TEXT NOT NULL,
    budgets            TEXT NOT NULL,
    schedule_since     BIGINT NOT NULL,
    next_at            BIGINT,
    watches            BOOLEAN NOT NULL,
    seen_seq           BIGINT NOT NULL,
    hook_token         TEXT NOT NULL,
    version            BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    deleted_at         BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX automations_newest ON automations (workspace_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX automations_next ON automations (next_at, workspace_id, id) WHERE next_at IS NOT NULL;
CREATE INDEX automations_watch ON automations (workspace_id, id) WHERE watches;
-- A webhook names its automation before its workspace is known.
CREATE INDEX automations_hook ON automations (id, workspace_id) WHERE hook_token <> '';

-- Every instant at which an automation was due: one row, whatever became of it.
CREATE TABLE occurrences (
    workspace_id   TEXT NOT NULL,
    automation_id  TEXT NOT NULL,
    scheduled_at   BIGINT NOT NULL,
    id             TEXT NOT NULL,
    state          TEXT NOT NULL,
    reason         TEXT NOT NULL,
    session_id     TEXT NOT NULL,
    coalesced_into BIGINT,
    recorded_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, automation_id, scheduled_at),
    FOREIGN KEY (workspace_id, automation_id) REFERENCES automations (workspace_id, id)
);
CREATE INDEX occurrences_newest ON occurrences (workspace_id, scheduled_at, id);
CREATE INDEX occurrences_due ON occurrences (workspace_id, scheduled_at, automation_id) WHERE state = 'DUE';

CREATE TABLE grants (
    workspace_id  TEXT NOT NULL,
    id            TEXT NOT NULL,
    automation_id TEXT NOT NULL,
    commands      TEXT NOT NULL,
    zone_ids      TEXT NOT NULL,
    tool_ids      TEXT NOT NULL,
    bounds        TEXT NOT NULL,
    max_per_run   BIGINT NOT NULL,
    expires_at    BIGINT,
    created_by    TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    revoked_at    BIGINT,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, automation_id) REFERENCES automations (workspace_id, id)
);
CREATE INDEX grants_automation ON grants (workspace_id, automation_id, created_at, id);

-- +goose Down
DROP TABLE search_words;
DROP TABLE search;
DROP TABLE grants;
DROP TABLE occurrences;
DROP TABLE automations;
DROP TABLE document_versions;
DROP TABLE documents;
DROP TABLE entries;
DROP TABLE tools;
DROP TABLE tool_types;
DROP TABLE zones;
DROP TABLE providers;
DROP TABLE keys;
DROP TABLE idempotency;
DROP TABLE stream_tickets;
DROP TABLE nodes;
DROP TABLE queue;
DROP TABLE inbox;
DROP TABLE changes;
DROP TABLE events;
DROP TABLE roundtrips;
DROP TABLE transitions;
DROP TABLE approvals;
DROP TABLE executions;
DROP TABLE messages;
DROP TABLE sessions;
DROP TABLE workspaces;
