package rounds

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// Hash is under what a message is known that came through a door. It takes each part with its
// length, so that no two lists of them read alike.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(part)))) // a hash never fails
		_, _ = h.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
