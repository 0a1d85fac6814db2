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
	// parkTime bounds how long a call is kept open for a person's answer (revisions before
	// 2026-07-28 ask during a call).
	parkTime = 15 * time.Minute
	// maxParked bounds the parked calls, and the stored input requests of 2026-07-28.
	maxParked = 64
)

// flight is a call in progress.
type flight struct {
	ctx      context.Context
	end      context.CancelFunc
	exchange *exchange
	done     chan error
	asks     chan *domain.Module
	replies  chan json.RawMessage
	gone     chan struct{} // closed when no answer will come
	answers  []json.RawMessage
	given    int // answers passed to the server
	question *domain.Module
	timer    *time.Timer
}

// newFlight returns a flight that outlives the Call that started it if the server asks a question.
func newFlight(ctx context.Context, e *exchange, answers []json.RawMessage) *flight {
	f := &flight{
		exchange: e, answers: answers,
		done: make(chan error, 1), asks: make(chan *domain.Module), replies: make(chan json.RawMessage),
		gone: make(chan struct{}),
	}
	f.ctx, f.end = context.WithCancel(context.WithoutCancel(ctx))
	var one sync.Mutex // one question at a time
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
		return nil, errors.New("the call was abandoned")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case reply := <-f.replies:
		return form.reply(reply)
	case <-f.gone:
		return json.RawMessage(`{"action":"cancel"}`), nil
	case <-f.ctx.Done():
		return nil, errors.New("no answer arrived in time")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// goneTime bounds the end of a call whose question remains unanswered.
const goneTime = time.Second

// abandon declines the open question and ends the call.
func (f *flight) abandon() {
	close(f.gone)
	select {
	case <-f.done: //nolint:errcheck // the result is not needed
	case <-time.After(goneTime):
	}
	f.end()
}

// flights holds the calls that wait for a person, by execution ID.
type flights struct {
	mu     sync.Mutex
	parked map[string]*flight
	talks  map[string]*inquiry
	order  []string // of inquiries, oldest first
	closed bool
}

// park keeps a call open. It returns false if that is not possible.
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

// remember stores the state of an inquiry. It is an optimization: without it the call is repeated
// and the server asks again.
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

// recall returns the inquiry that a call continues, or a new one.
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
