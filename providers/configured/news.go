package configured

import (
	"context"
	"slices"
	"sync"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
)

// Waiters is what is to be known of the sessions that wait for a provider.
type Waiters interface {
	WaitingForNetwork(ctx context.Context, workspace string) ([]domain.NetworkWaiter, error)
	DefaultProvider(ctx context.Context, workspace string) (*domain.Provider, error)
	Workspace(ctx context.Context, workspace string) (*domain.Workspace, error)
}

// News tells sessions that wait for a provider that it answers again.
type News struct {
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

// NewNews makes one that wakes sessions by wake.
func NewNews(store Waiters, wake func(ctx context.Context, workspace, session string) error, log zerolog.Logger) *News {
	return &News{store: store, wake: wake, log: log, kick: make(chan struct{}, 1), back: map[providerName]struct{}{}}
}

// Tell notes the news; it never waits.
func (n *News) Tell(workspace, provider string) {
	n.mu.Lock()
	n.back[providerName{workspace, provider}] = struct{}{}
	n.mu.Unlock()
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// Start begins to pass news on.
func (n *News) Start(context.Context) error {
	ctx, stop := context.WithCancel(context.Background())
	n.stop, n.done = stop, make(chan struct{})
	go n.run(ctx)
	return nil
}

// Stop ends it and waits.
func (n *News) Stop(context.Context) error {
	if n.stop != nil {
		n.stop()
		<-n.done
	}
	return nil
}

func (n *News) run(ctx context.Context) {
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
				// Their timers wake them all the same, only later.
				n.log.Warn().Err(err).Str("workspace", name.workspace).Str("provider", name.id).
					Msg("who waits for a provider could not be told that it is back")
			}
		}
	}
}

// pass finds the sessions that wait and would call this provider, and wakes them.
func (n *News) pass(ctx context.Context, name providerName) error {
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
		if err != nil && ctx.Err() == nil { // it no longer waits: somebody else woke it
			n.log.Debug().Err(err).Str("session", s.SessionID).Msg("a session did not take the news of its provider")
		}
	}
	return nil
}

// servesAll: the provider is a fallback of every session.
func (n *News) servesAll(ctx context.Context, name providerName) (bool, error) {
	w, err := n.store.Workspace(ctx, name.workspace)
	if err != nil {
		return false, err
	}
	return slices.Contains(w.Settings.FallbackProviders, name.id), nil
}
