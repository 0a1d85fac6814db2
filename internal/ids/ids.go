// Package ids makes the ids of everything that is stored: a prefix and a
// time-ordered part (UUIDv7), made by the server and never by the database.
package ids

import (
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"
)

// New makes an id, "ses_0197…". It panics only if the system has no randomness.
func New(prefix string) string {
	id := uuid.Must(uuid.NewV7())
	return prefix + "_" + hex.EncodeToString(id[:])
}

// Counting makes ids that are the same in every run of a test: "msg_1", "msg_2", …
func Counting() func(prefix string) string {
	var n atomic.Int64
	return func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, n.Add(1)) }
}
