-- The parts of a client's request beside the message, in JSON, which are returned when the
-- response is read again; '' for every other request.

-- +goose Up
ALTER TABLE known_histories ADD COLUMN request TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE known_histories DROP COLUMN request;
