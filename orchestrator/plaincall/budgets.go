package plaincall

import (
	"context"
	"fmt"
	"sync"
)

// Budgets reserve money for plain calls in progress. Calls of sessions reserve it on the
// session's row; plain calls have no session.
type Budgets struct {
	mu  sync.Mutex
	all map[string]*budget
}

// budget is the reservation of one workspace.
type budget struct {
	// gate serialises the checks for remaining budget. Until the first call has ended, and the cost of
	// such a call is known, the call in progress holds it.
	gate     chan struct{}
	reserved float64
	dearest  float64 // of the calls so far
	known    bool
}

func (b *Budgets) of(workspace string) *budget {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[string]*budget{}
	}
	if b.all[workspace] == nil {
		b.all[workspace] = &budget{gate: make(chan struct{}, 1)}
	}
	return b.all[workspace]
}

// Reserved returns the maximum cost of the workspace's plain calls in progress.
func (b *Budgets) Reserved(workspace string) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if own := b.all[workspace]; own != nil {
		return own.reserved
	}
	return 0
}

// begin reserves money for a call, once room has found enough for one more. The caller must call end,
// with the cost of the call if it is known.
func (b *Budgets) begin(
	ctx context.Context, workspace string, estimate float64, room func() error,
) (end func(cost *float64, ended bool), err error) {
	own := b.of(workspace)
	select {
	case own.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the budget: %w", context.Cause(ctx))
	}
	if err := room(); err != nil {
		<-own.gate
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	held, keepsGate := max(estimate, own.dearest), !own.known
	own.reserved += held
	if !keepsGate {
		<-own.gate
	}
	return func(cost *float64, ended bool) {
		if !keepsGate { // a concurrent check has read the amount spent before this call ended
			own.gate <- struct{}{}
		}
		defer func() { <-own.gate }()
		b.mu.Lock()
		defer b.mu.Unlock()
		own.reserved = max(0, own.reserved-held)
		if cost != nil {
			own.dearest = max(own.dearest, *cost)
		}
		own.known = own.known || ended
	}, nil
}
