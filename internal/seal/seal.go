// Package seal encrypts secrets at rest (AES-256-GCM), each bound to its place: what was
// sealed for one opens at no other, whoever moves it in the database.
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

// Keys seal and open secrets. Without a key nothing is sealed: who keeps secrets asks Any
// first, because a secret is never stored in the clear.
type Keys struct {
	all   []key    // the first seals, all open
	seeds [][]byte // in the same order
}

type key struct {
	id   string // names it in what it sealed; tells nothing of the key
	aead cipher.AEAD
}

// Place is what a secret belongs to. Its parts are authenticated with the secret.
type Place []string

// What Open says of a secret that it does not open.
var (
	ErrOtherKey   = errors.New("it was sealed with another FERMATA_SECRET_KEY")
	ErrOtherPlace = errors.New("it was sealed for another place")
)

// Version begins what is sealed: "v2.<id of the key>.<base64 of nonce and text>".
// Before, it was the last part alone, bound to the provider's id only.
const Version = "v2."

// Head is how many characters of what is sealed name the version and the key.
const Head = len(Version) + keyID

const keyID = 8 // characters

// New takes the keys, each of 32 bytes, the one that seals first.
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

// Any says whether there is a key to seal with.
func (s *Keys) Any() bool { return len(s.all) > 0 }

// Head is what begins all that the first key seals; "" without a key.
func (s *Keys) Head() string {
	if len(s.all) == 0 {
		return ""
	}
	return Version + s.all[0].id
}

// Derive makes a key for another purpose from the first: the same on every node and after
// a restart. Nil where there is no key.
func (s *Keys) Derive(purpose string) []byte {
	if all := s.DeriveAll(purpose); len(all) > 0 {
		return all[0]
	}
	return nil
}

// DeriveAll makes such a key from each, in their order: what was signed with an older one
// still holds after another was put in front.
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

// IsSealed says whether a text has the form that Seal gives.
func IsSealed(text string) bool { return strings.HasPrefix(text, Version) }

// Open decrypts what Seal made for the same place: else ErrOtherKey or ErrOtherPlace.
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

// OpenFirst decrypts a secret as it was sealed at first, bound to one name alone.
func (s *Keys) OpenFirst(sealed, name string) (string, error) {
	for _, key := range s.all {
		if secret, err := key.open(sealed, []byte(name)); err == nil {
			return secret, nil
		}
	}
	return "", ErrOtherKey
}

// Has says whether the key is there that the head of a sealed secret names. A head of the
// first form names none, and is not held against the keys.
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

// bytes is the place without a doubt where one part ends and the next begins.
func (at Place) bytes() []byte {
	b, err := json.Marshal(at)
	if err != nil {
		panic(err) // strings are always encoded
	}
	return b
}
