-- Who published a version of a document, and in which session.

-- +goose Up
ALTER TABLE document_versions ADD COLUMN author_id TEXT NOT NULL DEFAULT '';
ALTER TABLE document_versions ADD COLUMN author_name TEXT NOT NULL DEFAULT '';
ALTER TABLE document_versions ADD COLUMN session_id TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE document_versions DROP COLUMN session_id;
ALTER TABLE document_versions DROP COLUMN author_name;
ALTER TABLE document_versions DROP COLUMN author_id;
