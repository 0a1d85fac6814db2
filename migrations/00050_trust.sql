-- How far the texts of a row can be relied on: '' is the workspace's own, as all rows before this step. The detail has the
-- sources of external content, the fields that may have it, and who confirmed the row.

-- +goose Up
ALTER TABLE zones ADD COLUMN trust TEXT NOT NULL DEFAULT '';
ALTER TABLE zones ADD COLUMN trust_detail TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_types ADD COLUMN trust TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_types ADD COLUMN trust_detail TEXT NOT NULL DEFAULT '';
ALTER TABLE tools ADD COLUMN trust TEXT NOT NULL DEFAULT '';
ALTER TABLE tools ADD COLUMN trust_detail TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN trust TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN trust_detail TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN trust TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN trust_detail TEXT NOT NULL DEFAULT '';
CREATE INDEX entries_outside ON entries (workspace_id, tool_id) WHERE trust = 'outside';

-- +goose Down
DROP INDEX entries_outside;
ALTER TABLE documents DROP COLUMN trust_detail;
ALTER TABLE documents DROP COLUMN trust;
ALTER TABLE entries DROP COLUMN trust_detail;
ALTER TABLE entries DROP COLUMN trust;
ALTER TABLE tools DROP COLUMN trust_detail;
ALTER TABLE tools DROP COLUMN trust;
ALTER TABLE tool_types DROP COLUMN trust_detail;
ALTER TABLE tool_types DROP COLUMN trust;
ALTER TABLE zones DROP COLUMN trust_detail;
ALTER TABLE zones DROP COLUMN trust;
