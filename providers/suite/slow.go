package suite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/providers"
)

// Transport answers each request without a network.
type Transport func(*http.Request) (*http.Response, error)

// RoundTrip makes it one.
func (f Transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Slow is a response with delays, and its expected outcome.
type Slow struct {
	Pieces   []string      // of the body
	Pause    time.Duration // before each of them, and before the end
	Headers  time.Duration // until the head comes
	Streamed bool
	Failure  string        // what the error says; "": there is none
	After    time.Duration // how long the call takes until it fails
	Open     bool          // it does not end by itself
	Took     time.Duration // how long after its pieces an open one is done; 0: it is not looked at
}

// Check makes a call that is answered this slowly, in virtual time.
func (s Slow) Check(t *testing.T, provider func(*testing.T, *http.Client) providers.Provider) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(s.Headers):
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
			body := &slowBody{ctx: r.Context(), pieces: s.Pieces, pause: s.Pause, open: s.Open}
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: r}, nil
		})}
		request := &providers.Request{Prompt: Prompt(), NewID: repeatable.IDs()}
		if s.Streamed {
			request.OnDelta = func(providers.Delta) {}
		}
		began := clock.System()
		_, err := provider(t, client).Query(t.Context(), request)
		var e *providers.Error
		switch {
		case s.Failure == "" && err != nil:
			t.Errorf("failed: %v", err)
		case s.Failure != "" && (!errors.As(err, &e) || e.Class != providers.ClassNetwork || !strings.Contains(e.Message, s.Failure)):
			t.Errorf("got %v", err)
		case s.Failure != "" && clock.System().Sub(began) != s.After, s.Took > 0 && clock.System().Sub(began) != s.Pause+s.Took:
			t.Errorf("after %s", clock.System().Sub(began))
		}
	})
}

// slowBody is a body whose pieces come after a while; it ends with the request.
type slowBody struct {
	ctx    context.Context
	pieces []string
	pause  time.Duration
	open   bool
}

func (s *slowBody) Read(p []byte) (int, error) {
	select {
	case <-time.After(s.pause):
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
	if len(s.pieces) == 0 && s.open {
		<-s.ctx.Done()
		return 0, s.ctx.Err()
	}
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

func (s *slowBody) Close() error { return nil }
