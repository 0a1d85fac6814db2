package handlers

import (
	"context"
	"slices"
	"sync"
	"time"
)

// ledger bounds how many bytes of requests and answers are in memory at a time: those that have
// arrived, those that are being read from the database, and those that their readers have not
// taken. Without it, a caller who asks and never reads holds as much as he asks for.
type ledger struct {
	mu      sync.Mutex
	held    map[string]int64
	growing map[string][]*hold // those of an account that grow, the oldest first
	waiting []*claim           // first come, first served
}

// account is one bound: what name holds may not exceed limit.
type account struct {
	name  string
	limit int64
	whose string // in words for people; "": the whole server's
	// share, if set, is a part of the account that is always there for some: as long as they hold no
	// more than that, others cannot have used the account up.
	share *account
}

// hold is a part of one or more accounts, until release.
type hold struct {
	ledger   *ledger
	accounts []account
	bytes    int64
	grows    bool
	closed   bool // it was released, and takes nothing more
}

// claim is a hold that waits for so many bytes more.
type claim struct {
	*hold

	more    int64
	ready   chan struct{} // closed when it is granted
	granted bool
}

func newLedger() *ledger { return &ledger{held: map[string]int64{}, growing: map[string][]*hold{}} }

// reserve takes so many bytes of every account, and waits until there is room for them;
// nil after patience, or when ctx is over. A claim that is larger than an account is
// granted when that one is empty.
func (l *ledger) reserve(ctx context.Context, bytes int64, patience time.Duration, accounts ...account) *hold {
	h := &hold{ledger: l, accounts: accounts}
	if l.claim(ctx, h, bytes, patience) != nil {
		return nil
	}
	return h
}

// open makes a hold that is to grow as bytes come. Of those that grow in an account the oldest may do so
// beyond its limit: it comes to its end, and those behind it do not wait for each other.
func (l *ledger) open(accounts ...account) *hold {
	h := &hold{ledger: l, accounts: accounts, grows: true}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range accounts {
		l.growing[a.name] = append(l.growing[a.name], h)
	}
	return h
}

// grow takes so many bytes more. It gives the account that had no room for them within patience; nil:
// they are taken.
func (h *hold) grow(ctx context.Context, more int64, patience time.Duration) *account {
	return h.ledger.claim(ctx, h, more, patience)
}

// claim takes bytes for a hold, and gives the account that had no room for them.
func (l *ledger) claim(ctx context.Context, h *hold, more int64, patience time.Duration) *account {
	c := &claim{hold: h, more: more}
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
	return &account{} // there is room just now, for whoever comes next
}

// take takes bytes without asking whether there is room: for an answer that must be
// given, because what it tells has happened. Who comes next waits for them.
func (l *ledger) take(bytes int64, accounts ...account) *hold {
	h := &hold{ledger: l, accounts: accounts}
	l.mu.Lock()
	l.add(h, bytes)
	l.mu.Unlock()
	return h
}

// resize says how many bytes it is really.
func (h *hold) resize(bytes int64) {
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	h.ledger.add(h, bytes-h.bytes)
	h.ledger.grant()
}

// release gives everything back; twice is the same as once, and so is nil.
func (h *hold) release() {
	if h == nil {
		return
	}
	l := h.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.grows {
		for _, a := range h.accounts {
			if l.growing[a.name] = slices.DeleteFunc(l.growing[a.name], func(g *hold) bool { return g == h }); len(l.growing[a.name]) == 0 {
				delete(l.growing, a.name)
			}
		}
	}
	l.add(h, -h.bytes)
	h.closed = true
	l.grant()
}

// size is how many bytes it has.
func (h *hold) size() int64 {
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	return h.bytes
}

// The caller of what follows holds the lock.

// full is the first account that has no room for a claim; nil: all have.
func (l *ledger) full(c *claim) *account {
	for i := range c.accounts {
		a := &c.accounts[i]
		held := l.held[a.name]
		switch {
		case held == 0, held+c.more <= a.limit:
		case a.share != nil && l.held[a.share.name]+c.more <= a.share.limit:
		case c.grows && len(l.growing[a.name]) > 0 && l.growing[a.name][0] == c.hold:
		default:
			return a
		}
	}
	return nil
}

func (l *ledger) add(h *hold, bytes int64) {
	if h.closed {
		return
	}
	h.bytes += bytes
	for _, a := range h.accounts {
		if l.held[a.name] += bytes; l.held[a.name] <= 0 {
			delete(l.held, a.name)
		}
	}
}

// grant lets in those who wait and for whom there is room now.
func (l *ledger) grant() {
	l.waiting = slices.DeleteFunc(l.waiting, func(c *claim) bool {
		if l.full(c) != nil {
			return false
		}
		l.add(c.hold, c.more)
		c.granted = true
		close(c.ready)
		return true
	})
}
