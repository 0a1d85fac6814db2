package suite

import (
	"io"
	"net/http"
	"strconv"
)

// BreaksOff ends a stream before its end, where the reply says so. failure is how the
// wire reports one in a stream.
func (r Reply) BreaksOff(w http.ResponseWriter, request *http.Request, failure string) bool {
	switch r.Ending {
	case Reset:
		Break(w)
	case Hang:
		<-request.Context().Done()
	case Failed:
		_, _ = io.WriteString(w, failure) // the client may have left
	case Cut, Complete:
	}
	return r.Ending != Complete
}

// SendWhole sends a reply that is not streamed: text, or as much of it as the reply says.
// failure is the wire's error response.
func (r Reply) SendWhole(w http.ResponseWriter, request *http.Request, text, failure string) {
	w.Header().Set("Content-Type", "application/json")
	switch r.Ending {
	case Reset:
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = io.WriteString(w, text[:len(text)/2])
		w.(http.Flusher).Flush()
		Break(w)
	case Hang:
		<-request.Context().Done()
	case Failed:
		_, _ = io.WriteString(w, failure)
	case Complete, Cut:
		_, _ = io.WriteString(w, text)
	}
}
