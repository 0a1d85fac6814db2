-- What a next version might do to what is written all the time (see next.go).

-- +goose Up
ALTER TABLE sessions ADD COLUMN next_note TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN next_note TEXT NOT NULL DEFAULT '';
CREATE INDEX next_noted ON sessions (workspace_id, next_note);

-- +goose Down
DROP INDEX next_noted;
