package edge

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// ledger limits how many bytes of requests and responses are in memory at a time: request bodies, data that is being
// read from the database, and responses that clients have not read. Without it, a client that sends requests and
// never reads could use any amount of memory.
type ledger struct {
	mu      sync.Mutex
	held    map[string]int64
	growing map[string][]*Hold // those of an account that grow, the oldest first
	waiting []*claim           // first come, first served
}

// Account is a limit: the bytes held under name may not exceed limit.
type Account struct {
	Name  string
	limit int64
	whose string // for error messages; "" for the account of the whole server
	// share, if set, is a part of the account that is reserved: within it, a claim succeeds even if others have
	// used the account up.
	share *Account
}

// Hold is a reservation from one or more accounts, until release.
type Hold struct {
	ledger   *ledger
	accounts []Account
	bytes    int64
	grows    bool
	closed   bool // it was released, and reserves nothing more
}

// claim is a hold that waits for more bytes.
type claim struct {
	*Hold

	more    int64
	ready   chan struct{} // closed when it is granted
	granted bool
}

func newLedger() *ledger { return &ledger{held: map[string]int64{}, growing: map[string][]*Hold{}} }

// Reserve reserves bytes from every account, and waits until they are available. It returns nil after patience, or
// when ctx ends. A claim larger than an account is granted when that account is empty.
func (l *ledger) Reserve(ctx context.Context, bytes int64, patience time.Duration, accounts ...Account) *Hold {
	h := &Hold{ledger: l, accounts: accounts}
	if l.claim(ctx, h, bytes, patience) != nil {
		return nil
	}
	return h
}

// Open makes a hold that grows as bytes arrive. The oldest growing hold of an account may exceed the limit: it can
// finish, and the holds behind it cannot deadlock.
func (l *ledger) Open(accounts ...Account) *Hold {
	h := &Hold{ledger: l, accounts: accounts, grows: true}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range accounts {
		l.growing[a.Name] = append(l.growing[a.Name], h)
	}
	return h
}

// grow reserves more bytes. It returns the account that had none available within patience, or nil on success.
func (h *Hold) grow(ctx context.Context, more int64, patience time.Duration) *Account {
	return h.ledger.claim(ctx, h, more, patience)
}

// claim reserves bytes for a hold, and returns the account that had none available.
func (l *ledger) claim(ctx context.Context, h *Hold, more int64, patience time.Duration) *Account {
	c := &claim{Hold: h, more: more}
	l.mu.Lock()
	if l.full(c) == nil {
		l.add(h, more)
		l.mu.Unlock()
		return nil
	}
	c.ready = make(chan struct{})
	l.waiting = append(l.waiting, c)
	l.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.ready:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.granted { // at the last moment
		return nil
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(w *claim) bool { return w == c })
	if full := l.full(c); full != nil {
		return full
	}
	return &Account{} // there is room now, for the next request
}

// Take reserves bytes even beyond the limit: for a response that must be sent because its change has been applied.
// Later reservations wait for them.
func (l *ledger) Take(bytes int64, accounts ...Account) *Hold {
	h := &Hold{ledger: l, accounts: accounts}
	l.mu.Lock()
	l.add(h, bytes)
	l.mu.Unlock()
	return h
}

// Resize sets the number of bytes.
func (h *Hold) Resize(bytes int64) {
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	h.ledger.add(h, bytes-h.bytes)
	h.ledger.grant()
}

// Release returns all bytes. It may be called twice, and on nil.
func (h *Hold) Release() {
	if h == nil {
		return
	}
	l := h.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.grows {
		for _, a := range h.accounts {
			if l.growing[a.Name] = slices.DeleteFunc(l.growing[a.Name], func(g *Hold) bool { return g == h }); len(l.growing[a.Name]) == 0 {
				delete(l.growing, a.Name)
			}
		}
	}
	l.add(h, -h.bytes)
	h.closed = true
	l.grant()
}

// size returns the number of bytes.
func (h *Hold) size() int64 {
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	return h.bytes
}

// InUse returns how many bytes each account holds, and how many claims wait and holds grow.
func (l *ledger) InUse() (bytes map[string]int64, unsettled int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.held), len(l.waiting) + len(l.growing)
}

// The methods below need the lock.

// full returns the first account without room for a claim; nil if all have room.
func (l *ledger) full(c *claim) *Account {
	for i := range c.accounts {
		a := &c.accounts[i]
		held := l.held[a.Name]
		switch {
		case held == 0, held+c.more <= a.limit:
		case a.share != nil && l.held[a.share.Name]+c.more <= a.share.limit:
		case c.grows && len(l.growing[a.Name]) > 0 && l.growing[a.Name][0] == c.Hold:
		default:
			return a
		}
	}
	return nil
}

func (l *ledger) add(h *Hold, bytes int64) {
	if h.closed {
		return
	}
	h.bytes += bytes
	for _, a := range h.accounts {
		if l.held[a.Name] += bytes; l.held[a.Name] <= 0 {
			delete(l.held, a.Name)
		}
	}
}

// grant completes the waiting claims that fit now.
func (l *ledger) grant() {
	l.waiting = slices.DeleteFunc(l.waiting, func(c *claim) bool {
		if l.full(c) != nil {
			return false
		}
		l.add(c.Hold, c.more)
		c.granted = true
		close(c.ready)
		return true
	})
}
