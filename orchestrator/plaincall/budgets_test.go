package plaincall

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// However many plain calls arrive at once, and whatever their estimated cost, at most one exceeds the budget.
// If there is room they run concurrently.
func TestABudgetIsACeilingForPlainCalls(t *testing.T) {
	for name, c := range map[string]struct {
		calls                 int
		limit, estimate, cost float64
		spent                 float64 // before
		most                  int     // maximum number of calls
		least                 int
	}{
		"fifty, nothing is known of their price": {50, 0.01, 0, 0.01, 0, 1, 1},
		"fifty, far dearer than estimated":       {50, 0.05, 0.0001, 0.02, 0, 3, 3},
		"fifty, as estimated":                    {50, 0.05, 0.01, 0.01, 0, 6, 5},
		"fifty, cheaper than estimated":          {50, 1, 0.01, 0.001, 0, 50, 50},
		"nothing is left":                        {50, 1, 0.01, 0.01, 1, 0, 0},
		"a budget of nothing":                    {10, 0, 0, 0.01, 0, 0, 0},
		"one call dearer than the budget":        {10, 0.01, 0.5, 0.5, 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b Budgets
				var mu sync.Mutex
				spent, made := c.spent, 0
				full := errors.New("used up")
				room := func() error {
					reserved := b.Reserved("ws")
					mu.Lock()
					defer mu.Unlock()
					if spent+reserved >= c.limit {
						return full
					}
					return nil
				}
				var all sync.WaitGroup
				for range c.calls {
					all.Go(func() {
						end, err := b.begin(t.Context(), "ws", c.estimate, room)
						if err != nil {
							if !errors.Is(err, full) {
								t.Error(err)
							}
							return
						}
						time.Sleep(time.Second)
						mu.Lock()
						spent, made = spent+c.cost, made+1
						mu.Unlock()
						end(&c.cost, true)
					})
				}
				all.Wait()
				if made > c.most || made < c.least || spent > max(c.limit, c.spent)+c.cost+1e-9 {
					t.Errorf("%d calls were made, for %g of %g", made, spent, c.limit)
				}
				if left := b.Reserved("ws"); left > 1e-9 || b.Reserved("other") != 0 {
					t.Errorf("%g is reserved for no call", left)
				}
			})
		})
	}
}

// Once the cost of a call is known, calls do not wait for each other; a waiting call can be cancelled.
func TestPlainCallsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budgets
		free := func() error { return nil }
		first, err := b.begin(t.Context(), "ws", 0, free)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.begin(ctx, "ws", 0, free); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the second waits for the first: %v", err)
		}
		if end, err := b.begin(t.Context(), "other", 0, free); err != nil {
			t.Error(err)
		} else {
			end(nil, false)
		}
		first(nil, false) // it failed: the cost is still unknown
		again, err := b.begin(t.Context(), "ws", 0, free)
		if err != nil {
			t.Fatal(err)
		}
		cost := 0.25
		again(&cost, true)
		for range 3 {
			if _, err := b.begin(t.Context(), "ws", 0.1, free); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.Reserved("ws"); got != 0.75 {
			t.Errorf("%g is reserved for three calls of 0.25", got)
		}
	})
}
