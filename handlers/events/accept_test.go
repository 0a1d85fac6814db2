package events_test

import (
	"net/http"
	"testing"

	"github.com/fermata-dev/fermata/handlers/events"
)

func TestWhichStreamIsAskedFor(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "text/event-stream": true, "text/event-stream, application/json": true,
		"text/event-stream;q=0, application/json": false, "text/event-stream;q=0": false,
		"text/event-stream;q=0.5, application/json;q=0.9": false, "application/json;q=0.1,text/event-stream;q=0.2": true,
		"TEXT/Event-Stream": true, "text/event-streams": false, "text/event-stream;q=x": false,
	} {
		r := &http.Request{Header: http.Header{"Accept": {accept}}}
		if got := events.WantsStream(r); got != want {
			t.Errorf("%s: %t", accept, got)
		}
	}
}
