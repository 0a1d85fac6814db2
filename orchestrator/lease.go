package orchestrator

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Leased sets until when this node's lease is certainly valid; the zero time: it could not be renewed. A
// loop that is never called needs none.
func (l *Loop) Leased(until time.Time) { l.leased.Store(max(until.UnixMicro(), 1)) }

// holds reports whether this node certainly owns its sessions.
func (l *Loop) holds() bool {
	until := l.leased.Load()
	return until == 0 || l.cfg.Clock().UnixMicro() < until
}

// LetGo cuts the drivers, because the lease is over. One that only has to store its work may continue: its
// write is rejected if the session has another owner by then.
func (l *Loop) LetGo() {
	l.lapses.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.drivers {
		if !d.storing.Load() {
			d.cut(ErrFenced)
		}
	}
}

// Drives reports whether this process drives the session.
func (l *Loop) Drives(session string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.drivers[session] != nil
}

// awaitLease waits, before an effect that costs something or must not be repeated, until the lease is
// certainly valid. A node that takes over the session meanwhile cuts this driver.
func (d *driver) awaitLease(ctx context.Context, effect domain.Effect) error {
	if effect != domain.DoRunActions && !effect.CallsAI() {
		return nil
	}
	for attempt := 0; !d.loop.holds(); attempt++ {
		if err := d.pause(ctx, min(attempt, 2)); err != nil {
			return err
		}
	}
	return nil
}
