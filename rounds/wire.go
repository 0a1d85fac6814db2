package rounds

import "net/http"

// Wire is an event stream to a client of another protocol. Once a write has failed the client has
// gone, and nothing more is written.
type Wire struct {
	W   http.ResponseWriter
	err error
}

// Head sets the header of a stream that nothing on the way keeps or holds back.
func (o *Wire) SetHeaders() {
	h := o.W.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
}

// Data writes an event without a name. A body of JSON has no line's end in it.
func (o *Wire) WriteData(body []byte) {
	o.write(append(make([]byte, 0, len(body)+len("data: \n\n")), "data: "...), body)
}

// Named writes an event with its name.
func (o *Wire) WriteEvent(name string, body []byte) {
	before := make([]byte, 0, len(name)+len(body)+len("event: \ndata: \n\n"))
	o.write(append(append(append(before, "event: "...), name...), "\ndata: "...), body)
}

// Comment writes what clients pass over.
func (o *Wire) WriteComment(text string) { o.write([]byte(": "), []byte(text)) }

// Done writes what ends a stream in the protocols that have an end, and sends it.
func (o *Wire) WriteDone() {
	o.WriteData([]byte("[DONE]"))
	_ = o.Flush() // the client may have gone
}

// Beat tells a client that waits, and the proxies before it, that somebody is there.
func (o *Wire) WriteHeartbeat() error {
	o.WriteComment("waiting")
	return o.Flush()
}

// Flush sends what was written. Its error is that of the first write that failed.
func (o *Wire) Flush() error {
	if o.err == nil {
		o.err = http.NewResponseController(o.W).Flush()
	}
	return o.err
}

// write writes an event's lines, at once: what is before its data, and these.
func (o *Wire) write(before, body []byte) {
	if o.err == nil {
		_, o.err = o.W.Write(append(append(before, body...), "\n\n"...))
	}
}
