package handlers

import (
	"context"
	"slices"
	"sync"
	"time"
)

// ledger bounds how many bytes of answers are in memory at a time: those that are being
// read from the database, and those that their readers have not taken. Without it, a
// caller who asks and never reads holds as much as he asks for.
type ledger struct {
	mu      sync.Mutex
	held    map[string]int64
	waiting []*hold // first come, first served
}

// account is one bound: what name holds may not exceed limit.
type account struct {
	name  string
	limit int64
}

// hold is a part of one or more accounts, until release.
type hold struct {
	ledger   *ledger
	accounts []account
	bytes    int64
	ready    chan struct{} // closed when it is granted
	granted  bool
}

func newLedger() *ledger { return &ledger{held: map[string]int64{}} }

// reserve takes so many bytes of every account, and waits until there is room for them;
// nil after patience, or when ctx is over. A claim that is larger than an account is
// granted when that one is empty.
func (l *ledger) reserve(ctx context.Context, bytes int64, patience time.Duration, accounts ...account) *hold {
	h := &hold{ledger: l, accounts: accounts, bytes: bytes}
	l.mu.Lock()
	if l.fits(h) {
		l.add(h, bytes)
		l.mu.Unlock()
		return h
	}
	h.ready = make(chan struct{})
	l.waiting = append(l.waiting, h)
	l.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-h.ready:
		return h
	case <-timer.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.granted { // at the last moment
		return h
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(w *hold) bool { return w == h })
	return nil
}

// take takes bytes without asking whether there is room: for an answer that must be
// given, because what it tells has happened. Who comes next waits for them.
func (l *ledger) take(bytes int64, accounts ...account) *hold {
	h := &hold{ledger: l, accounts: accounts, bytes: bytes}
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
	h.bytes = bytes
	h.ledger.grant()
}

// release gives everything back; twice is the same as once, and so is nil.
func (h *hold) release() {
	if h != nil {
		h.resize(0)
	}
}

// The caller of what follows holds the lock.

func (l *ledger) fits(h *hold) bool {
	for _, a := range h.accounts {
		if held := l.held[a.name]; held > 0 && held+h.bytes > a.limit {
			return false
		}
	}
	return true
}

func (l *ledger) add(h *hold, bytes int64) {
	for _, a := range h.accounts {
		if l.held[a.name] += bytes; l.held[a.name] <= 0 {
			delete(l.held, a.name)
		}
	}
}

// grant lets in those who wait and for whom there is room now.
func (l *ledger) grant() {
	l.waiting = slices.DeleteFunc(l.waiting, func(h *hold) bool {
		if !l.fits(h) {
			return false
		}
		l.add(h, h.bytes)
		h.granted = true
		close(h.ready)
		return true
	})
}
