-- The trace that a message came with which waits its turn: the round that it begins is a part of it.

-- +goose Up
ALTER TABLE inbox ADD COLUMN trace TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE inbox DROP COLUMN trace;
