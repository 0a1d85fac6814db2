-- What an execution of a command from outside means to who reads its result and to who lets
-- it run. A built-in command has nothing here.

-- +goose Up
ALTER TABLE executions ADD COLUMN foreign_words TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE executions DROP COLUMN foreign_words;
