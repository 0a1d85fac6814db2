package responses

import (
	"errors"
	"net/http"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// writeWhole waits until the round is over or waits for a person, and writes the response.
func (c *Config) writeWhole(w http.ResponseWriter, r *http.Request, t *writer) error {
	open, err := c.FollowEvents(r, t.Round, t)
	if err != nil {
		if t.Outcome.Final {
			w.Header().Set(openai.ShouldRetry, "false")
		}
		return err
	}
	t.end(open)
	openai.WriteJSON(w, t.response())
	return nil
}

// writeCurrent writes the response in its current state.
func (c *Config) writeCurrent(w http.ResponseWriter, r *http.Request, t *writer) error {
	rests, err := t.CurrentEvents(r.Context(), t)
	if err != nil {
		return lostLog(err)
	}
	if rests {
		open, err := c.OpenApproval(r.Context(), r, t.Round)
		if err != nil {
			return err
		}
		t.end(open)
	}
	openai.WriteJSON(w, t.response())
	return nil
}

// stream streams a response from its beginning, or after the event that the client has.
func (c *Config) stream(w http.ResponseWriter, r *http.Request, t *writer, after int64) {
	out := &events{Wire: rounds.Wire{W: w}, after: after}
	t.eventStream = out
	out.open()
	t.emit(&event{Type: "response.created", Number: numberCreated, Response: t.response()})
	if t.out.Status == statusQueued {
		t.emit(&event{Type: "response.queued", Number: numberQueued, Response: t.response()})
	} else {
		t.emit(&event{Type: "response.in_progress", Number: numberInProgress, Response: t.response()})
	}
	open, err := c.FollowEvents(r, t.Round, t)
	if err != nil && t.Outcome.Err() == nil {
		out.fail(c.Failure(err))
		return
	}
	t.end(open)
	_ = out.Flush() // the client may have disconnected
}

// lostLog returns the error for a response whose events cannot be read.
func lostLog(err error) error {
	if errors.Is(err, stream.ErrReset) {
		return domain.Errorf(domain.CodeSessionEnded, "The session of this response has ended, and its events have been deleted. "+
			"Its messages are still available: GET /v1/sessions/{id}/messages.")
	}
	return openai.StreamError(err)
}
