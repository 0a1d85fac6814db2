// Package ids makes the ids of everything that is stored: a prefix and a
// time-ordered part (UUIDv7), made by the server and never by the database.
package ids

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// New makes an id, "ses_0197…". It panics only if the system has no randomness.
func New(prefix string) string {
	id := uuid.Must(uuid.NewV7())
	return prefix + "_" + hex.EncodeToString(id[:])
}

// Time is when an id was made, to the millisecond; false for one that New did not make.
func Time(id string) (time.Time, bool) {
	_, text, _ := strings.Cut(id, "_")
	made, err := uuid.Parse(text)
	if err != nil || made.Version() != 7 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(made[:8]) >> 16)).UTC(), true
}

// Counting makes ids that are the same in every run of a test: "msg_1", "msg_2", …
func Counting() func(prefix string) string {
	var n atomic.Int64
	return func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, n.Add(1)) }
}
