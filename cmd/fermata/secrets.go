package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// sealer encrypts provider keys at rest (AES-256-GCM, bound to the provider's id).
// Without a key it refuses: a secret is never stored in the clear.
type sealer struct{ aead cipher.AEAD }

// newSealer takes the configured key; with SQLite, one is made in the data directory
// if there is none. On PostgreSQL all nodes need the same, so none is made.
func newSealer(f *serverFlags) (*sealer, error) {
	encoded := f.SecretKey
	if encoded == "" && f.DatabaseURL == "" {
		var err error
		if encoded, err = keptKey(filepath.Join(f.DataDir, "secret.key")); err != nil {
			return nil, err
		}
	}
	if encoded == "" {
		return &sealer{}, nil
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != 32 {
		return nil, errors.New("FERMATA_SECRET_KEY must be 32 bytes in base64 (try: openssl rand -base64 32)")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("use the secret key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("use the secret key: %w", err)
	}
	return &sealer{aead: aead}, nil
}

// keptKey reads the key file, or makes it, readable by its owner only.
func keptKey(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the secret key: %w", err)
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return "", fmt.Errorf("make a secret key: %w", err)
	}
	encoded := base64.StdEncoding.EncodeToString(key)
	if err := os.WriteFile(path, []byte(encoded+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the secret key: %w", err)
	}
	return encoded, nil
}

// seal encrypts a secret for one provider.
func (s *sealer) seal(secret, providerID string) (string, error) {
	if s.aead == nil {
		return "", domain.Invalid("/config/api_key", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it stores no provider keys. Set it (the same on all nodes), or name an environment variable in api_key_env.")
	}
	nonce := make([]byte, s.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("seal a secret: %w", err)
	}
	return base64.StdEncoding.EncodeToString(s.aead.Seal(nonce, nonce, []byte(secret), []byte(providerID))), nil
}

// open decrypts what seal made for the same provider.
func (s *sealer) open(sealed, providerID string) (string, error) {
	b, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || s.aead == nil || len(b) < s.aead.NonceSize() {
		return "", domain.Errorf("provider_key_unreadable", "The key of this provider cannot be read: FERMATA_SECRET_KEY is missing or has changed. Enter the key again.")
	}
	secret, err := s.aead.Open(nil, b[:s.aead.NonceSize()], b[s.aead.NonceSize():], []byte(providerID))
	if err != nil {
		return "", domain.Errorf("provider_key_unreadable", "The key of this provider cannot be read: FERMATA_SECRET_KEY has changed. Enter the key again.")
	}
	return string(secret), nil
}

// mask shows of a secret what people need to recognise it.
func mask(secret string) string {
	if len(secret) < 12 {
		return "…"
	}
	return secret[:3] + "…" + secret[len(secret)-4:]
}
