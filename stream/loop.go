package stream

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// markDirty adds a topic to the flusher's list. The caller holds its lock.
func (b *Broker) markDirty(t *topic) {
	if t.dirty {
		return
	}
	t.dirty = true
	b.dirtyMu.Lock()
	b.dirty = append(b.dirty, t)
	b.dirtyMu.Unlock()
	select {
	case b.kick <- struct{}{}:
	default:
	}
}

// Start begins to send collected text.
func (b *Broker) Start(context.Context) error {
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.done = cancel, make(chan struct{})
	go b.run(ctx)
	return nil
}

// Drain ends every stream and rejects new ones: listeners reconnect elsewhere. It must precede the
// shutdown of the HTTP server, which would wait for open streams without end. Left waits for all of
// them.
func (b *Broker) Drain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	for _, t := range b.topics {
		t.mu.Lock()
		t.each(func(s *Subscription) { s.end(ErrStopped) })
		t.mu.Unlock()
	}
}

// Left waits, after Drain, until the last listener has gone.
func (b *Broker) Left(ctx context.Context) error {
	gone := make(chan struct{})
	go func() { b.open.Wait(); close(gone) }()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for event streams to end: %w", ctx.Err())
	}
}

// Stop drains and waits for the flusher.
func (b *Broker) Stop(ctx context.Context) error {
	b.Drain()
	if b.cancel == nil {
		return nil
	}
	b.cancel()
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the flusher of streams: %w", ctx.Err())
	}
}

// run sleeps until there is text to send, so that an idle server does no work.
func (b *Broker) run(ctx context.Context) {
	defer close(b.done)
	poll := time.NewTicker(b.config.Poll)
	defer poll.Stop()
	gather := time.NewTimer(b.config.Gather)
	gather.Stop()
	defer gather.Stop()
	armed := false // a second workspace must not delay the first one's text
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.kick:
			if !armed {
				gather.Reset(b.config.Gather)
				armed = true
			}
		case <-gather.C:
			armed = false
			b.flush()
		case <-poll.C:
			b.tidy()
			b.LookAll(ctx)
		}
	}
}

// flush sends the collected text, and stops waiting for delayed hints.
func (b *Broker) flush() {
	b.dirtyMu.Lock()
	dirty := b.dirty
	b.dirty = nil
	b.dirtyMu.Unlock()
	for _, t := range dirty {
		t.mu.Lock()
		t.dirty = false
		for _, a := range t.answers {
			t.flush(a)
		}
		t.skip()
		t.mu.Unlock()
	}
}

// LookAll reads the newest number of every workspace with listeners, and delivers events whose
// hints were lost.
func (b *Broker) LookAll(ctx context.Context) {
	if b.config.Newest == nil {
		return
	}
	b.mu.RLock()
	workspaces := make([]string, 0, len(b.topics))
	for ws := range b.topics {
		workspaces = append(workspaces, ws)
	}
	b.mu.RUnlock()
	slices.Sort(workspaces)
	for _, ws := range workspaces {
		// After an error the next round tries again.
		if newest, err := b.config.Newest(ctx, ws); err == nil {
			b.Hint(ws, newest)
		}
	}
}
