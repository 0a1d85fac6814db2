-- What an execution of a command from outside means to who reads its result and to who lets
-- it run. A built-in command has nothing here. Runs that a webhook started and that go on know
-- from now on what their prompt holds from outside.

-- +goose Up
ALTER TABLE executions ADD COLUMN foreign_words TEXT NOT NULL DEFAULT '';
UPDATE sessions SET state = '{"taint":{"sources":[{"origin":"webhook","source":"the automation"}],"parts":1},' || substr(state, 2)
    WHERE type = 'AUTOMATION' AND trigger_kind = 'EVENT' AND phase <> 'COMPLETED' AND state LIKE '{"%' AND EXISTS (
        SELECT 1 FROM messages m WHERE m.workspace_id = sessions.workspace_id AND m.session_id = sessions.id AND m.sender_id = 'webhook');

-- +goose Down
ALTER TABLE executions DROP COLUMN foreign_words;
