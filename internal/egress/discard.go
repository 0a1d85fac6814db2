package egress

import (
	"io"
	"time"
)

const (
	// maxDiscarded and discardTime bound what is read of an answer that nobody wants any more.
	maxDiscarded = 4 << 10
	discardTime  = 50 * time.Millisecond
)

// Discard closes the body of an answer. The little that may be left of it is read first, so
// that the connection can be used again; one that stays open is not waited for.
func Discard(body io.ReadCloser) {
	_ = Sample(body, maxDiscarded, discardTime)
	_ = body.Close()
}

// Sample reads what comes of a body within a bound in bytes and in time. The caller closes it;
// where the time was over, it is closed already.
func Sample(body io.ReadCloser, most int64, within time.Duration) []byte {
	timer := time.AfterFunc(within, func() { _ = body.Close() })
	defer timer.Stop()
	text, _ := io.ReadAll(io.LimitReader(body, most)) // what came before it broke off is what there is
	return text
}
