package egress

import (
	"io"
	"time"
)

const (
	// maxDiscarded and discardTime bound what is read of a response that is not needed.
	maxDiscarded = 4 << 10
	discardTime  = 50 * time.Millisecond
)

// Discard closes the body of a response. A small rest is read first, so that the connection can be reused;
// a body that stays open is not waited for.
func Discard(body io.ReadCloser) {
	_ = Sample(body, maxDiscarded, discardTime)
	_ = body.Close()
}

// Sample reads a body within a limit of bytes and time. The caller closes it; after the time limit it is
// already closed.
func Sample(body io.ReadCloser, most int64, within time.Duration) []byte {
	timer := time.AfterFunc(within, func() { _ = body.Close() })
	defer timer.Stop()
	text, _ := io.ReadAll(io.LimitReader(body, most)) // an incomplete body is returned as far as it was read
	return text
}
