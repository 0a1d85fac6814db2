-- The provenance of an execution of an external command, for readers of its result and for its
-- approval. It is empty for built-in commands. Active runs that a webhook started are marked
-- from now on as having external content in their prompt.

-- +goose Up
ALTER TABLE executions ADD COLUMN foreign_words TEXT NOT NULL DEFAULT '';
UPDATE sessions SET state = '{"taint":{"sources":[{"origin":"webhook","source":"the automation"}],"parts":1},' || substr(state, 2)
    WHERE type = 'AUTOMATION' AND trigger_kind = 'EVENT' AND phase <> 'COMPLETED' AND state LIKE '{"%' AND EXISTS (
        SELECT 1 FROM messages m WHERE m.workspace_id = sessions.workspace_id AND m.session_id = sessions.id AND m.sender_id = 'webhook');

-- +goose Down
ALTER TABLE executions DROP COLUMN foreign_words;
