-- The external commands that the runs of an automation may be offered, within what the workspace
-- allows. Existing automations may be offered all of them.

-- +goose Up
ALTER TABLE automations ADD COLUMN commands TEXT NOT NULL DEFAULT '["*"]';

-- +goose Down
ALTER TABLE automations DROP COLUMN commands;
