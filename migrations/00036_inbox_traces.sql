-- The trace context of a queued message: the round that it begins becomes part of that trace.

-- +goose Up
ALTER TABLE inbox ADD COLUMN trace TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE inbox DROP COLUMN trace;
