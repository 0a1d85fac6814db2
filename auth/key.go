package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"math/big"
	"strings"
)

const (
	keyPrefix  = "fmt_"
	idLength   = 8  // base62: for people to recognise a key by
	secretSize = 32 // bytes, written as 43 characters of base62
	digits     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

var secretLength = len(encode(bytesOf(0xff), 0))

// Mint makes a new key, "fmt_<id>_<secret>". Prefix is the part that may be shown
// again later, hash what is stored.
func Mint() (key, prefix, hash string) {
	id, secret := make([]byte, 6), make([]byte, secretSize)
	_, _ = rand.Read(id) // ends the program rather than fail
	_, _ = rand.Read(secret)
	prefix = keyPrefix + encode(id, idLength)[:idLength]
	key = prefix + "_" + encode(secret, secretLength)
	return key, prefix, Hash(key)
}

// Hash is how a key is stored: hex SHA-256 of the whole key. A key has 256 random
// bits, so nothing slower is needed.
func Hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// ErrNotAKey says that a text cannot be one of Fermata's keys.
var ErrNotAKey = errors.New("not a key of this server")

// Parse checks the shape of a key and gives its prefix. It saves the database from
// looking for what cannot be there.
func Parse(key string) (prefix string, err error) {
	rest, ok := strings.CutPrefix(key, keyPrefix)
	if !ok {
		return "", ErrNotAKey
	}
	id, secret, ok := strings.Cut(rest, "_")
	if !ok || len(id) != idLength || len(secret) != secretLength || !plain(id) || !plain(secret) {
		return "", ErrNotAKey
	}
	return keyPrefix + id, nil
}

func plain(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(digits, s[i]) < 0 {
			return false
		}
	}
	return true
}

// encode writes bytes in base62, at least width characters.
func encode(b []byte, width int) string {
	n, base, digit := new(big.Int).SetBytes(b), big.NewInt(int64(len(digits))), new(big.Int)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		out = append(out, digits[digit.Int64()])
	}
	for len(out) < width {
		out = append(out, digits[0])
	}
	return string(out)
}

func bytesOf(b byte) []byte {
	return []byte(strings.Repeat(string([]byte{b}), secretSize))
}

// same compares two hashes in constant time.
func same(a, b [sha256.Size]byte) bool { return subtle.ConstantTimeCompare(a[:], b[:]) == 1 }

// tokenPrefix begins the bearer token of a person.
const tokenPrefix = "fmp_"

// isPersonToken checks the shape of a token, which saves the database from looking for what cannot be there.
func isPersonToken(text string) bool {
	secret, ok := strings.CutPrefix(text, tokenPrefix)
	return ok && len(secret) == secretLength && plain(secret)
}
