package harness

import (
	"encoding/base64"
	"strings"
)

// RootKey is the root key of a server.
const RootKey = "0123456789abcdefghijklmnopqrstuv"

// OtherRootKey is another.
const OtherRootKey = "6d9a1f40c27b83e5a4c0be1793d2f586"

func key(letter string) []byte { return []byte(strings.Repeat(letter, 32)) }

// EncodedKeys are secret keys as a server is given them, one for each letter.
func EncodedKeys(letters ...string) string {
	var all []string
	for _, l := range letters {
		all = append(all, base64.StdEncoding.EncodeToString(key(l)))
	}
	return strings.Join(all, ",")
}
