package rounds

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// Hash returns the key by which a message of a client is found again. Each part is hashed with its
// length, so that no two lists have the same input.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(part)))) // a hash never fails
		_, _ = h.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
