package scheduler

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
)

// claimBatch bounds how many sessions are taken up at once.
const claimBatch = 100

// Keeper renews this node's lease and takes up the sessions at work whose driver is
// gone: those of this node before it was started anew, and those of nodes whose lease
// has run out.
type Keeper struct {
	Leases Leases
	Door   *Door
	TTL    time.Duration // 15 s; renewed at a third of it
	Log    zerolog.Logger
	// Recovered is told of each session that was taken up.
	Recovered func()

	stop context.CancelFunc
	done chan struct{}
}

// Start takes the lease, takes up what an earlier process left, and goes on renewing.
func (k *Keeper) Start(ctx context.Context) error {
	if err := k.Leases.Renew(ctx, k.TTL); err != nil {
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

// Stop gives the lease back, so that another node need not wait for it to run out.
func (k *Keeper) Stop(ctx context.Context) error {
	if k.stop == nil {
		return nil
	}
	k.stop()
	<-k.done
	return k.Leases.Release(ctx)
}

func (k *Keeper) run(ctx context.Context) {
	ticker := time.NewTicker(k.TTL / 3)
	defer ticker.Stop()
	for {
		k.recover(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := k.Leases.Renew(ctx, k.TTL); err != nil && ctx.Err() == nil {
			k.Log.Warn().Err(err).Msg("the lease could not be renewed; its sessions may be taken over")
		}
	}
}

// recover takes up sessions at work whose driver is gone.
func (k *Keeper) recover(ctx context.Context) {
	for ctx.Err() == nil {
		refs, err := k.Leases.Claimable(ctx, claimBatch)
		if err != nil {
			k.Log.Warn().Err(err).Msg("could not look for sessions without a driver")
			return
		}
		taken := 0
		for _, ref := range refs {
			switch err := k.Door.takeUp(ctx, ref); {
			case errors.Is(err, errNothing):
				continue
			case err != nil:
				k.Log.Warn().Err(err).Str("session", ref.SessionID).Msg("a session could not be taken up")
				continue
			}
			taken++
			k.Recovered()
			k.Log.Info().Str("workspace", ref.WorkspaceID).Str("session", ref.SessionID).Msg("a session at work was taken up again")
		}
		if taken == 0 || len(refs) < claimBatch {
			return
		}
	}
}

// takeUp goes on with a session at work whose driver is gone. Between the look at the
// database and this, a person may have moved it on, or another node have taken it up:
// then it has another claim, or no slot, and there is nothing to do. It never takes the
// slot from who got it meanwhile.
func (d *Door) takeUp(ctx context.Context, ref domain.SessionRef) error {
	_, err := d.pass(ctx, request{
		workspace: ref.WorkspaceID, session: ref.SessionID, byItself: true,
		event: func(v *domain.View) (domain.Event, error) {
			s := v.Session
			if s.RunEpoch != ref.RunEpoch || !s.HoldsSlot || !s.Phase.Working() {
				return nil, errNothing
			}
			return domain.SessionActivationRequested{Recovery: true}, nil
		},
	})
	return err
}
