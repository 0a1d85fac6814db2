package remote

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Event is a Server-Sent Event. ID is 0 for events without one.
type Event struct {
	ID   int64
	Name string
	Data []byte
}

// maxLine is the longest line that the contract allows.
const maxLine = 16 << 20

// eventScanner reads Server-Sent Events.
type eventScanner struct {
	lines *bufio.Scanner
	// alive is called for each line, including comments: the connection is alive.
	alive func()
}

func newEventScanner(r io.Reader, alive func()) *eventScanner {
	s := &eventScanner{lines: bufio.NewScanner(r), alive: alive}
	s.lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	return s
}

// Next is the next event. At the end of the stream it returns io.EOF; an incomplete event is dropped, as
// the standard requires.
func (s *eventScanner) Next() (Event, error) {
	var e Event
	var data [][]byte
	for s.lines.Scan() {
		s.alive()
		line := bytes.TrimSuffix(s.lines.Bytes(), []byte{'\r'})
		if len(line) == 0 {
			if e.Name == "" && data == nil {
				continue
			}
			e.Data = bytes.Join(data, []byte{'\n'})
			return e, nil
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "event":
			e.Name = string(value)
		case "data":
			data = append(data, bytes.Clone(value))
		case "id":
			e.ID, _ = strconv.ParseInt(string(value), 10, 64) // ignore ids of another form
		}
	}
	if err := s.lines.Err(); err != nil {
		return Event{}, fmt.Errorf("read an event: %w", err)
	}
	return Event{}, io.EOF
}

// NoCursor starts with the current state.
const NoCursor = -1

// Follower reads a stream of events and reconnects by its cursor, so that no event is lost or repeated.
type Follower struct {
	Client *Client
	Path   string
	Query  url.Values
	Cursor int64
	Take   func(Event) error
	// Found and lost, if set, are called when the stream opens and when it breaks.
	Found func()
	Lost  func(error)

	Opened  bool          // it was open before: from then on an unreachable server is waited for
	Pause   time.Duration // before the first reconnection; doubled up to maxPause
	Silence time.Duration // after this time without data the connection counts as dead
}

const (
	firstPause = 500 * time.Millisecond
	MaxPause   = 10 * time.Second
	maxSilence = 50 * time.Second // the server sends something every 15 s
)

// errSilent: no data arrived for so long that the connection must be dead.
var errSilent = errors.New("the stream has gone silent")

// errBye: the server closed the stream in an orderly way.
var errBye = errors.New("the server ended the stream")

// Run follows until ctx ends, take fails, or the server rejects the request permanently.
func (f *Follower) Run(ctx context.Context) error {
	first := cmp.Or(f.Pause, firstPause)
	pause := first
	for {
		got, err := f.Once(ctx)
		stop, stopped := errors.AsType[*takeError](err)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case stopped:
			return stop.err
		case final(err), !f.Opened:
			return err
		}
		if f.Lost != nil {
			f.Lost(err)
		}
		if got {
			pause = first
		}
		if err := Wait(ctx, max(pause, retryAfter(err))); err != nil {
			return err
		}
		pause = min(2*pause, MaxPause)
	}
}

// takeError is an error of the callback take, which ends the following.
type takeError struct{ err error }

func (e *takeError) Error() string { return e.err.Error() }
func (e *takeError) Unwrap() error { return e.err }

// Once opens the stream and reads it to its end; got reports whether an event arrived.
func (f *Follower) Once(ctx context.Context) (got bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := cmp.Or(f.Silence, maxSilence)
	silent := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer silent.Stop()
	query := url.Values{}
	maps.Copy(query, f.Query)
	if f.Cursor >= 0 {
		query.Set("after", strconv.FormatInt(f.Cursor, 10))
	}
	response, err := f.Client.Send(ctx, http.MethodGet, f.Path+"?"+query.Encode(), nil, "", "text/event-stream")
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	f.Opened = true
	if f.Found != nil {
		f.Found()
	}
	events := newEventScanner(response.Body, func() { silent.Reset(silence) })
	for {
		e, err := events.Next()
		if err != nil {
			return got, err
		}
		if e.Name == "bye" {
			return true, errBye
		}
		if e.Name == "reset" {
			f.Cursor = NoCursor
		}
		if err := f.Take(e); err != nil {
			return true, &takeError{err}
		}
		// The cursor moves only after the event was handled.
		if e.ID > 0 {
			f.Cursor = e.ID
		}
		got = true
	}
}

// final reports whether reconnecting would not help.
func final(err error) bool {
	e, ok := errors.AsType[*ServerError](err)
	if !ok {
		return false
	}
	return e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout
}

func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*ServerError](err); ok {
		return e.RetryAfter
	}
	return 0
}
