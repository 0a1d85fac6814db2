package rounds

import (
	"net/http"

	"github.com/fermata-dev/fermata/internal/sse"
)

// Wire writes an event stream to a client. After the first failed write, nothing more is written.
type Wire struct {
	W   http.ResponseWriter
	err error
}

// SetHeaders sets the headers of an event stream, which disable caching and buffering by proxies.
func (o *Wire) SetHeaders() {
	h := o.W.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
}

// WriteData writes an event without a name.
func (o *Wire) WriteData(body []byte) { o.WriteEvent("", body) }

// WriteEvent writes an event with a name.
func (o *Wire) WriteEvent(name string, body []byte) {
	o.write(sse.Append(make([]byte, 0, len(name)+len(body)+len("event: \ndata: \n\n")), name, sse.NoID, body))
}

// WriteComment writes a comment, which clients ignore.
func (o *Wire) WriteComment(text string) { o.write([]byte(": " + text + "\n\n")) }

// WriteDone writes the final [DONE] of protocols that have one, and flushes.
func (o *Wire) WriteDone() {
	o.WriteData([]byte("[DONE]"))
	_ = o.Flush() // the client may have gone
}

// WriteHeartbeat writes a comment, so that clients and proxies keep the connection open.
func (o *Wire) WriteHeartbeat() error {
	o.WriteComment("waiting")
	return o.Flush()
}

// Flush sends what was written. It returns the error of the first failed write.
func (o *Wire) Flush() error {
	if o.err == nil {
		o.err = http.NewResponseController(o.W).Flush()
	}
	return o.err
}

// write writes an event in one call.
func (o *Wire) write(event []byte) {
	if o.err == nil {
		_, o.err = o.W.Write(event)
	}
}
