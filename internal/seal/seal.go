// Package seal encrypts secrets at rest (AES-256-GCM). Each is bound to its place: it cannot be decrypted
// after being moved elsewhere in the database.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Keys encrypt and decrypt secrets. Without a key nothing can be encrypted: callers check Any first,
// because a secret is never stored in plain text.
type Keys struct {
	all   []key    // the first one encrypts, all decrypt
	seeds [][]byte // in the same order
}

type key struct {
	id   string // identifies the key in its ciphertexts, and reveals nothing about it
	aead cipher.AEAD
}

// Place identifies the owner of a secret. It is authenticated together with the secret.
type Place []string

// Errors of Open.
var (
	ErrOtherKey   = errors.New("it was encrypted with another FERMATA_SECRET_KEY")
	ErrOtherPlace = errors.New("it was encrypted for another place")
)

// Version begins a sealed secret: "v2.<id of the key>.<base64 of nonce and ciphertext>". Older secrets
// consist of the last part alone, bound to the provider's id only.
const Version = "v2."

// Head is the length of the part of a sealed secret that names the version and the key.
const Head = len(Version) + keyID

const keyID = 8 // characters

// New uses the given keys, each of 32 bytes; the first one encrypts.
func New(keys [][]byte) (*Keys, error) {
	s := &Keys{}
	for _, raw := range keys {
		block, err := aes.NewCipher(raw)
		if err != nil {
			return nil, fmt.Errorf("use the secret key: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("use the secret key: %w", err)
		}
		sum := sha256.Sum256(append([]byte("fermata secret key id\n"), raw...))
		s.all = append(s.all, key{id: hex.EncodeToString(sum[:])[:keyID], aead: aead})
	}
	s.seeds = keys
	return s, nil
}

// Any reports whether there is a key to encrypt with.
func (s *Keys) Any() bool { return len(s.all) > 0 }

// Head is the beginning of all secrets that the first key encrypts; "" without a key.
func (s *Keys) Head() string {
	if len(s.all) == 0 {
		return ""
	}
	return Version + s.all[0].id
}

// Derive derives a key for another purpose from the first key: the same on all nodes and after a restart.
// Nil without a key.
func (s *Keys) Derive(purpose string) []byte {
	if all := s.DeriveAll(purpose); len(all) > 0 {
		return all[0]
	}
	return nil
}

// DeriveAll derives such a key from each key, in order: signatures by an older key remain valid after a new
// one is added.
func (s *Keys) DeriveAll(purpose string) [][]byte {
	all := make([][]byte, len(s.seeds))
	for i, seed := range s.seeds {
		sum := sha256.Sum256(append([]byte("fermata "+purpose+"\n"), seed...))
		all[i] = sum[:]
	}
	return all
}

// Seal encrypts a secret for its place.
func (s *Keys) Seal(secret string, at Place) (string, error) {
	key := s.all[0]
	nonce := make([]byte, key.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("seal a secret: %w", err)
	}
	sealed := key.aead.Seal(nonce, nonce, []byte(secret), at.bytes())
	return Version + key.id + "." + base64.StdEncoding.EncodeToString(sealed), nil
}

// IsSealed reports whether a text has the form of a sealed secret.
func IsSealed(text string) bool { return strings.HasPrefix(text, Version) }

// Open decrypts a secret sealed for the same place; otherwise it returns ErrOtherKey or ErrOtherPlace.
func (s *Keys) Open(sealed string, at Place) (string, error) {
	rest, ok := strings.CutPrefix(sealed, Version)
	id, text, cut := strings.Cut(rest, ".")
	if !ok || !cut {
		return "", ErrOtherPlace
	}
	known := false
	for _, key := range s.all {
		if key.id != id {
			continue
		}
		if secret, err := key.open(text, at.bytes()); err == nil {
			return secret, nil
		}
		known = true
	}
	if known {
		return "", ErrOtherPlace
	}
	return "", ErrOtherKey
}

// OpenFirst decrypts a secret in the first format, bound to one name alone.
func (s *Keys) OpenFirst(sealed, name string) (string, error) {
	for _, key := range s.all {
		if secret, err := key.open(sealed, []byte(name)); err == nil {
			return secret, nil
		}
	}
	return "", ErrOtherKey
}

// Has reports whether the key named by the head of a sealed secret is configured. A head of the first
// format names no key; Has returns true.
func (s *Keys) Has(head string) bool {
	id, ok := strings.CutPrefix(head, Version)
	return !ok || slices.ContainsFunc(s.all, func(k key) bool { return k.id == id })
}

func (k key) open(text string, bound []byte) (string, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) < k.aead.NonceSize() {
		return "", ErrOtherPlace
	}
	secret, err := k.aead.Open(nil, b[:k.aead.NonceSize()], b[k.aead.NonceSize():], bound)
	return string(secret), err
}

// bytes encodes the place unambiguously.
func (at Place) bytes() []byte {
	b, err := json.Marshal(at)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return b
}
