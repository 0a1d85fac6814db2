-- API keys can have an expiry.

-- +goose Up
ALTER TABLE keys ADD COLUMN expires_at BIGINT;

-- +goose Down
ALTER TABLE keys DROP COLUMN expires_at;
