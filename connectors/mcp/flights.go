package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
)

const (
	// parkTime is for how long a call stays open that waits for a person (revisions before
	// 2026-07-28 ask in the middle of a call).
	parkTime = 15 * time.Minute
	// maxParked bounds those, and the questions of 2026-07-28 that are remembered.
	maxParked = 64
)

// flight is a call that is under way.
type flight struct {
	ctx      context.Context
	end      context.CancelFunc
	exchange *exchange
	done     chan error
	asks     chan *domain.Module
	replies  chan json.RawMessage
	gone     chan struct{} // closed when nobody answers any more
	answers  []json.RawMessage
	given    int // of the answers, to the server
	question *domain.Module
	timer    *time.Timer
}

// newFlight outlives the Call that began it, if the server asks something.
func newFlight(ctx context.Context, e *exchange, answers []json.RawMessage) *flight {
	f := &flight{
		exchange: e, answers: answers,
		done: make(chan error, 1), asks: make(chan *domain.Module), replies: make(chan json.RawMessage),
		gone: make(chan struct{}),
	}
	f.ctx, f.end = context.WithCancel(context.WithoutCancel(ctx))
	var one sync.Mutex // questions are asked one after the other
	next := 0
	e.ask = func(ctx context.Context, request *jsonrpc.Request) (json.RawMessage, error) {
		one.Lock()
		defer one.Unlock()
		form, err := readQuestion(request.Params)
		if err != nil {
			return nil, err
		}
		next++
		if next <= len(f.answers) {
			f.given = next
			return form.reply(f.answers[next-1])
		}
		return f.askPerson(ctx, form)
	}
	return f
}

func (f *flight) askPerson(ctx context.Context, form *question) (json.RawMessage, error) {
	select {
	case f.asks <- form.module:
	case <-f.ctx.Done():
		return nil, errors.New("nobody waits for the call any more")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case reply := <-f.replies:
		return form.reply(reply)
	case <-f.gone:
		return json.RawMessage(`{"action":"cancel"}`), nil
	case <-f.ctx.Done():
		return nil, errors.New("nobody answered in time")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// goneTime is how long a server may take to end a call whose question nobody answers.
const goneTime = time.Second

// abandon tells the server that nobody answers, and ends the call.
func (f *flight) abandon() {
	close(f.gone)
	select {
	case <-f.done: //nolint:errcheck // nobody waits for what came of it
	case <-time.After(goneTime):
	}
	f.end()
}

// flights are the calls that wait for a person, by their execution.
type flights struct {
	mu     sync.Mutex
	parked map[string]*flight
	talks  map[string]*inquiry
	order  []string // of talks, oldest first
	closed bool
}

// park keeps a call open; false: it cannot be.
func (s *flights) park(execution string, f *flight) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || execution == "" || len(s.parked) >= maxParked {
		return false
	}
	if s.parked == nil {
		s.parked = map[string]*flight{}
	}
	s.parked[execution] = f
	f.timer = time.AfterFunc(parkTime, func() {
		if s.take(execution) == f {
			f.abandon()
		}
	})
	return true
}

func (s *flights) take(execution string) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.parked[execution]
	if f != nil {
		f.timer.Stop()
		delete(s.parked, execution)
	}
	return f
}

// remember keeps where a server of 2026-07-28 was. It is a help only: without it the call
// is made anew, and the server asks again.
func (s *flights) remember(execution string, c *inquiry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || execution == "" {
		return
	}
	if s.talks == nil {
		s.talks = map[string]*inquiry{}
	}
	if _, known := s.talks[execution]; !known {
		s.order = append(s.order, execution)
	}
	s.talks[execution] = c
	for len(s.order) > maxParked {
		delete(s.talks, s.order[0])
		s.order = s.order[1:]
	}
}

// recall gives the conversation that a call continues, or a new one.
func (s *flights) recall(call connectors.Call) *inquiry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.talks[call.ExecutionID]; ok && len(call.Answers) > c.used {
		return &inquiry{answers: call.Answers, used: c.used, pending: c.pending}
	}
	return &inquiry{answers: call.Answers}
}

func (s *flights) close() {
	s.mu.Lock()
	parked := s.parked
	s.parked, s.talks, s.closed = nil, nil, true
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, f := range parked {
		f.timer.Stop()
		all.Go(f.abandon)
	}
	all.Wait()
}
