// Package ids creates the ids of stored objects: a prefix and a time-ordered part (UUIDv7). They are
// created by the server, never by the database.
package ids

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"
)

// New returns a new id, "ses_0197…". It panics only if the system has no source of randomness.
func New(prefix string) string {
	id := uuid.Must(uuid.NewV7())
	return prefix + "_" + hex.EncodeToString(id[:])
}

// Time is the creation time of an id, to the millisecond; false for ids that New did not create.
func Time(id string) (time.Time, bool) {
	_, text, _ := strings.Cut(id, "_")
	made, err := uuid.Parse(text)
	if err != nil || made.Version() != 7 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(made[:8]) >> 16)).UTC(), true
}
