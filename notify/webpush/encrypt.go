package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

const (
	// recordSize is supported by every push service. A message is a single record.
	recordSize = 4096
	saltSize   = 16
	authSize   = 16
	pointSize  = 65 // of P-256, uncompressed
	tagSize    = 16
	headerSize = saltSize + 4 + 1 + pointSize
	// MaxText is the maximum size of a message in bytes.
	MaxText = recordSize - headerSize - tagSize - 1
	// padTo: messages are padded to a multiple of this, to hide their length.
	padTo = 256
)

// Browser holds the keys of a subscription that messages are encrypted for.
type Browser struct {
	point *ecdh.PublicKey
	auth  []byte
}

// Errors of a subscription's keys.
var (
	errPoint = errors.New("p256dh is not a P-256 public key")
	ErrAuth  = errors.New("auth is not 16 bytes")
)

// ReadBrowser decodes the keys of a subscription from base64url.
func ReadBrowser(p256dh, auth string) (*Browser, error) {
	raw, err := decode(p256dh)
	if err != nil {
		return nil, errPoint
	}
	point, err := ecdh.P256().NewPublicKey(raw)
	if err != nil || len(raw) != pointSize {
		return nil, errPoint
	}
	secret, err := decode(auth)
	if err != nil || len(secret) != authSize {
		return nil, ErrAuth
	}
	return &Browser{point: point, auth: secret}, nil
}

// decode decodes base64url with or without padding.
func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
}

// Encrypt encrypts the body of a push for this browser, with a new key each time.
func (b *Browser) Encrypt(text []byte) ([]byte, error) {
	once, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate a key for a push: %w", err)
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // // terminates the program rather than fail
	padded := min((len(text)+padTo)/padTo*padTo, MaxText)
	return b.encrypt(once, salt, text, max(padded-len(text), 0))
}

func (b *Browser) encrypt(once *ecdh.PrivateKey, salt, text []byte, padding int) ([]byte, error) {
	if len(text)+padding > MaxText {
		return nil, fmt.Errorf("a push can have at most %d bytes, and this one has %d", MaxText, len(text))
	}
	shared, err := once.ECDH(b.point)
	if err != nil {
		return nil, fmt.Errorf("agree on a key with the browser: %w", err)
	}
	ours := once.PublicKey().Bytes()
	info := "WebPush: info\x00" + string(b.point.Bytes()) + string(ours)
	secret, err := hkdf.Key(sha256.New, shared, b.auth, info, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the keys of a push: %w", err)
	}
	seal, nonce, err := sealing(secret, salt)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, headerSize+len(text)+1+padding+tagSize)
	out = append(out, salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(append(out, pointSize), ours...)
	record := append(append(make([]byte, 0, len(text)+1+padding), text...), 2) // the last record
	return seal.Seal(out, nonce, append(record, make([]byte, padding)...), nil), nil
}

// sealing returns the cipher and nonce for a record (RFC 8188).
func sealing(secret, salt []byte) (seal cipher.AEAD, nonce []byte, err error) {
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err == nil {
		nonce, err = hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("derive the keys of a push: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err == nil {
		seal, err = cipher.NewGCM(block)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("use the key of a push: %w", err)
	}
	return seal, nonce, nil
}
