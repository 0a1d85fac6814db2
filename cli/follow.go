package cli

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

// sseEvent is one Server-Sent Event. ID is 0 for those that have none.
type sseEvent struct {
	ID   int64
	Name string
	Data []byte
}

// maxLine is the longest line of a stream that is read, as long as the contract says.
const maxLine = 16 << 20

// eventScanner reads Server-Sent Events.
type eventScanner struct {
	lines *bufio.Scanner
	// alive is called for each line, comments too: the stream lives.
	alive func()
}

func newEventScanner(r io.Reader, alive func()) *eventScanner {
	s := &eventScanner{lines: bufio.NewScanner(r), alive: alive}
	s.lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	return s
}

// Next is the next event. A stream that ends is io.EOF; half an event at its end is
// dropped, as the standard says.
func (s *eventScanner) Next() (sseEvent, error) {
	var e sseEvent
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
			e.ID, _ = strconv.ParseInt(string(value), 10, 64) // another id is none of ours
		}
	}
	if err := s.lines.Err(); err != nil {
		return sseEvent{}, fmt.Errorf("read an event: %w", err)
	}
	return sseEvent{}, io.EOF
}

// noCursor: begin with how things are now.
const noCursor = -1

// follower reads a stream of events and comes back by its cursor when it breaks, so
// that what it hands on has no gap and nothing twice.
type follower struct {
	client *client
	path   string
	query  url.Values
	cursor int64
	take   func(sseEvent) error
	// found and lost, if set, are told when the stream opens and when it breaks.
	found func()
	lost  func(error)

	opened  bool          // it was open once: from then on a server that is away is waited for
	pause   time.Duration // before the first try to come back; doubled up to maxPause
	silence time.Duration // without a sign of life for so long, the stream is dead
}

const (
	firstPause = 500 * time.Millisecond
	maxPause   = 10 * time.Second
	maxSilence = 50 * time.Second // the server says something every 15 s
)

// errSilent: no data for so long that the connection must be dead.
var errSilent = errors.New("the stream has gone silent")

// errBye: the server ended the stream in good order.
var errBye = errors.New("the server ended the stream")

// run follows until ctx ends, take fails, or the server refuses for good.
func (f *follower) run(ctx context.Context) error {
	first := cmp.Or(f.pause, firstPause)
	pause := first
	for {
		got, err := f.once(ctx)
		stop, stopped := errors.AsType[*takeError](err)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case stopped:
			return stop.err
		case final(err), !f.opened:
			return err
		}
		if f.lost != nil {
			f.lost(err)
		}
		if got {
			pause = first
		}
		if err := wait(ctx, max(pause, retryAfter(err))); err != nil {
			return err
		}
		pause = min(2*pause, maxPause)
	}
}

// takeError is an error of whoever takes the events: it ends the following.
type takeError struct{ err error }

func (e *takeError) Error() string { return e.err.Error() }
func (e *takeError) Unwrap() error { return e.err }

// once opens the stream and reads it to its end; got says that something came.
func (f *follower) once(ctx context.Context) (got bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := cmp.Or(f.silence, maxSilence)
	silent := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer silent.Stop()
	query := url.Values{}
	maps.Copy(query, f.query)
	if f.cursor >= 0 {
		query.Set("after", strconv.FormatInt(f.cursor, 10))
	}
	response, err := f.client.send(ctx, http.MethodGet, f.path+"?"+query.Encode(), nil, "", "text/event-stream")
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	f.opened = true
	if f.found != nil {
		f.found()
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
			f.cursor = noCursor
		}
		if err := f.take(e); err != nil {
			return true, &takeError{err}
		}
		// The cursor moves only when the event was taken in.
		if e.ID > 0 {
			f.cursor = e.ID
		}
		got = true
	}
}

// final says that coming back would not help.
func final(err error) bool {
	e, ok := errors.AsType[*serverError](err)
	if !ok {
		return false
	}
	return e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout
}

func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*serverError](err); ok {
		return e.RetryAfter
	}
	return 0
}
