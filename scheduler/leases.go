package scheduler

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// claimBatch bounds how many sessions are taken up at once.
const claimBatch = 100

// LeaseManager renews this node's lease and takes over working sessions without a driver: those of this node's
// previous process, and those of nodes whose lease has expired.
type LeaseManager struct {
	Leases Leases
	Door   *Door
	// Drivers are this node's: they must know whether the lease is valid.
	Drivers Drivers
	TTL     time.Duration // 15 s; renewed at a third of it
	Clock   clock.Clock
	Log     zerolog.Logger
	// Recovered is called for each session that was taken over.
	Recovered func()

	drains atomic.Bool
	until  time.Time // the lease is held at least until then
	lapsed bool      // it was over, and its sessions were let go
	look   chan struct{}
	stop   context.CancelFunc
	done   chan struct{}
}

// Leases record which process drives which sessions.
type Leases interface {
	Renew(ctx context.Context, ttl time.Duration) error
	Release(ctx context.Context) error
	// Claimable lists working sessions whose driver is gone.
	Claimable(ctx context.Context, limit int) ([]domain.SessionRef, error)
	// Owned lists working sessions that this process drives, or drove.
	Owned(ctx context.Context) ([]domain.SessionRef, error)
	// Suspects lists the suspect sessions that this process has set aside.
	Suspects(ctx context.Context) ([]domain.SessionRef, error)
}

// Drivers are the sessions that this process drives.
type Drivers interface {
	// Leased sets until when the node's lease is certainly valid. After that no driver begins what must not
	// be repeated. The zero time: it could not be renewed.
	Leased(until time.Time)
	// LetGo ends what drivers have under way outside: their sessions may be another's.
	LetGo()
	Drives(session string) bool
}

// retryRenewal is how soon a renewal that failed is tried again.
const retryRenewal = time.Second

// Start acquires the lease, takes over what an earlier process left, and keeps renewing.
func (k *LeaseManager) Start(ctx context.Context) error {
	k.look = make(chan struct{}, 1)
	if err := k.renew(ctx); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	k.stop, k.done = stop, make(chan struct{})
	go func() {
		defer close(k.done)
		k.run(ctx)
	}()
	return nil
}

// Drain takes nothing up any more. The lease is kept until Stop: what runs may end.
func (k *LeaseManager) Drain(context.Context) error {
	k.drains.Store(true)
	return nil
}

// Stop releases the lease, so that other nodes need not wait for it to expire and do not treat the end as a crash.
func (k *LeaseManager) Stop(ctx context.Context) error {
	if k.stop == nil {
		return nil
	}
	k.stop()
	<-k.done
	k.absolve(ctx)
	return k.Leases.Release(ctx)
}

// absolve clears the suspects that this process has set aside.
func (k *LeaseManager) absolve(ctx context.Context) {
	refs, err := k.Leases.Suspects(ctx)
	for _, ref := range refs {
		if err == nil {
			err = k.Door.absolve(ctx, ref)
		}
		if errors.Is(err, errNothingToDo) {
			err = nil
		}
	}
	if err != nil {
		k.Log.Warn().Err(err).Msg("sessions that stand aside could not be cleared; they are taken up when their time comes")
	}
}

// Look asks for a look at once: a node is gone.
func (k *LeaseManager) Look() {
	select {
	case k.look <- struct{}{}:
	default:
	}
}

func (k *LeaseManager) run(ctx context.Context) {
	pause := k.TTL / 3
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		k.recoverOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-k.look:
			continue
		case <-timer.C:
		}
		pause = k.TTL / 3
		if err := k.renew(ctx); err != nil && ctx.Err() == nil {
			k.Log.Warn().Err(err).Msg("the lease could not be renewed; its sessions may be taken over")
			k.missed()
			pause = min(pause, retryRenewal)
		}
		timer.Reset(pause)
	}
}

// renew counts from before the database did, so that the lease is never believed for
// longer than it holds.
func (k *LeaseManager) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, k.TTL/3)
	defer cancel()
	begun := k.Clock()
	if err := k.Leases.Renew(ctx, k.TTL); err != nil {
		return err
	}
	k.until = begun.Add(k.TTL)
	k.Drivers.Leased(k.until)
	return nil
}

// missed: the lease was not renewed. Nothing new begins that must not be done twice;
// when the lease is certainly over, what is under way is let go.
func (k *LeaseManager) missed() {
	k.Drivers.Leased(time.Time{})
	if !k.lapsed && !k.Clock().Before(k.until) {
		k.lapsed = true
		k.Drivers.LetGo()
		k.Log.Warn().Msg("the lease is over; the sessions of this node are let go")
	}
}

// recoverOwn takes back the sessions that were released and that no other node has taken over.
func (k *LeaseManager) recoverOwn(ctx context.Context) {
	if !k.lapsed || !k.Clock().Before(k.until) {
		return
	}
	refs, err := k.Leases.Owned(ctx)
	if err != nil {
		k.Log.Warn().Err(err).Msg("could not look for the sessions that were let go")
		return
	}
	k.lapsed = false
	for _, ref := range refs {
		if !k.Drivers.Drives(ref.SessionID) {
			k.takeUp(ctx, ref, false)
		}
	}
}

// recoverOnce takes over working sessions whose driver is gone.
func (k *LeaseManager) recoverOnce(ctx context.Context) {
	if k.drains.Load() {
		return
	}
	k.recoverOwn(ctx)
	for ctx.Err() == nil {
		refs, err := k.Leases.Claimable(ctx, claimBatch)
		if err != nil {
			k.Log.Warn().Err(err).Msg("could not look for sessions without a driver")
			return
		}
		taken := 0
		for _, ref := range refs {
			if k.takeUp(ctx, ref, true) {
				taken++
			}
		}
		if taken == 0 || len(refs) < claimBatch {
			return
		}
	}
}

// takeUp takes over one session, and reports whether it did. gone: the process that drove it is gone.
func (k *LeaseManager) takeUp(ctx context.Context, ref domain.SessionRef, gone bool) bool {
	switch err := k.Door.takeUp(ctx, ref, gone); {
	case errors.Is(err, errNothingToDo):
		return false
	case err != nil:
		k.Log.Warn().Err(err).Str("session", ref.SessionID).Msg("a session could not be taken up")
		return false
	}
	k.Recovered()
	k.Log.Info().Str("workspace", ref.WorkspaceID).Str("session", ref.SessionID).Msg("a session at work was taken up again")
	return true
}
