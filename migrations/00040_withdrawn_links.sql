-- How often the links to an approval were withdrawn: links created before are invalid.

-- +goose Up
ALTER TABLE approvals ADD COLUMN link_epoch BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE approvals DROP COLUMN link_epoch;
