package configured

import (
	"context"
	"slices"
	"sync"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Waiters reads the sessions that wait for a provider.
type Waiters interface {
	WaitingForNetwork(ctx context.Context, workspace string) ([]domain.NetworkWaiter, error)
	DefaultProvider(ctx context.Context, workspace string) (*outside.Provider, error)
	Workspace(ctx context.Context, workspace string) (*domain.Workspace, error)
}

// Recovery wakes sessions that wait for a provider when it responds again.
type Recovery struct {
	store Waiters
	wake  func(ctx context.Context, workspace, session string) error
	log   zerolog.Logger

	kick chan struct{}
	stop context.CancelFunc
	done chan struct{}

	mu   sync.Mutex
	back map[providerName]struct{}
}

type providerName struct{ workspace, id string }

// NewRecovery returns a Recovery that wakes sessions with wake.
func NewRecovery(store Waiters, wake func(ctx context.Context, workspace, session string) error, log zerolog.Logger) *Recovery {
	return &Recovery{store: store, wake: wake, log: log, kick: make(chan struct{}, 1), back: map[providerName]struct{}{}}
}

// Enqueue schedules waking the sessions of a recovered provider. It does not block.
func (n *Recovery) Enqueue(workspace, provider string) {
	n.mu.Lock()
	n.back[providerName{workspace, provider}] = struct{}{}
	n.mu.Unlock()
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// Start starts the worker.
func (n *Recovery) Start(context.Context) error {
	ctx, stop := context.WithCancel(context.Background())
	n.stop, n.done = stop, make(chan struct{})
	go n.run(ctx)
	return nil
}

// Stop ends the worker and waits for it.
func (n *Recovery) Stop(context.Context) error {
	if n.stop != nil {
		n.stop()
		<-n.done
	}
	return nil
}

func (n *Recovery) run(ctx context.Context) {
	defer close(n.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.kick:
		}
		n.mu.Lock()
		back := n.back
		n.back = map[providerName]struct{}{}
		n.mu.Unlock()
		for name := range back {
			if err := n.pass(ctx, name); err != nil && ctx.Err() == nil {
				// The sessions' timers will wake them later.
				n.log.Warn().Err(err).Str("workspace", name.workspace).Str("provider", name.id).
					Msg("could not wake the sessions that wait for a recovered provider")
			}
		}
	}
}

// pass wakes the waiting sessions that would call this provider.
func (n *Recovery) pass(ctx context.Context, name providerName) error {
	waiting, err := n.store.WaitingForNetwork(ctx, name.workspace)
	if err != nil || len(waiting) == 0 {
		return err
	}
	everybody, err := n.servesAll(ctx, name)
	if err != nil {
		return err
	}
	standard, err := n.store.DefaultProvider(ctx, name.workspace)
	if err != nil {
		return err
	}
	for _, s := range waiting {
		ofDefault := s.ProviderID == "" && (standard == nil && name.id == "" || standard != nil && standard.ID == name.id)
		if !everybody && s.ProviderID != name.id && !ofDefault {
			continue
		}
		err := n.wake(ctx, name.workspace, s.SessionID)
		if err != nil && ctx.Err() == nil { // it was woken by something else meanwhile
			n.log.Debug().Err(err).Str("session", s.SessionID).Msg("a session was not woken for its recovered provider")
		}
	}
	return nil
}

// servesAll reports whether the provider is a fallback of every session.
func (n *Recovery) servesAll(ctx context.Context, name providerName) (bool, error) {
	w, err := n.store.Workspace(ctx, name.workspace)
	if err != nil {
		return false, err
	}
	return slices.Contains(w.Settings.FallbackProviders, name.id), nil
}
