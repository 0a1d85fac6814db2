-- +goose Up
ALTER TABLE providers ADD COLUMN env_grant TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE providers DROP COLUMN env_grant;
