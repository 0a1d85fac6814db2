package app

import (
	"context"
	"fmt"
	"sync"
)

// plainBudgets hold money back for plain calls, for as long as they are under way: the calls of
// sessions stand with what they reserve on the session's row, and these have none.
type plainBudgets struct {
	mu  sync.Mutex
	all map[string]*plainBudget
}

// plainBudget is that of one workspace.
type plainBudget struct {
	// gate lets one call after the other look for room. Until one has ended, and it is known what such a
	// call costs, the call that is under way keeps it.
	gate     chan struct{}
	reserved float64
	dearest  float64 // of the calls so far
	known    bool
}

func (b *plainBudgets) of(workspace string) *plainBudget {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[string]*plainBudget{}
	}
	if b.all[workspace] == nil {
		b.all[workspace] = &plainBudget{gate: make(chan struct{}, 1)}
	}
	return b.all[workspace]
}

// reserved is what the plain calls of a workspace that are under way may cost at most.
func (b *plainBudgets) reserved(workspace string) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if own := b.all[workspace]; own != nil {
		return own.reserved
	}
	return 0
}

// begin reserves for a call, once room has found that there is some for one more. Whoever
// begins must end: with what the call cost, where it is known.
func (b *plainBudgets) begin(
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
		if !keepsGate { // who looks for room just now has read what was spent before this call ended
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
