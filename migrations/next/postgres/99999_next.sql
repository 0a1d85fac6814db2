-- A column more in every table, while nodes that know nothing of it read and write all of them (see next.go).

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'goose_db_version'
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN next_note text NOT NULL DEFAULT ''''', name);
    END LOOP;
END
$$;
-- +goose StatementEnd
CREATE INDEX next_noted ON sessions (workspace_id, next_note);
CREATE TABLE next_notes (workspace_id text NOT NULL, id text NOT NULL, PRIMARY KEY (workspace_id, id));

-- +goose Down
DROP TABLE next_notes;
