-- Which commands from outside the runs of an automation may be offered, within what the
-- workspace allows. All, for those that are there.

-- +goose Up
ALTER TABLE automations ADD COLUMN commands TEXT NOT NULL DEFAULT '["*"]';

-- +goose Down
ALTER TABLE automations DROP COLUMN commands;
