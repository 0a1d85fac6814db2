-- What a client said of its request beside the message, in JSON: responses are read again with
-- it. '' of every other request.

-- +goose Up
ALTER TABLE known_histories ADD COLUMN request TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE known_histories DROP COLUMN request;
