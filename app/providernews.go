package app

import (
	"context"
	"slices"
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// providerNews tells sessions that wait for a provider that it answers again.
type providerNews struct {
	app  *App
	kick chan struct{}
	stop context.CancelFunc
	done chan struct{}

	mu   sync.Mutex
	back map[providerName]struct{}
}

type providerName struct{ workspace, id string }

func newProviderNews(a *App) *providerNews {
	return &providerNews{app: a, kick: make(chan struct{}, 1), back: map[providerName]struct{}{}}
}

// tell notes the news; it never waits.
func (n *providerNews) tell(workspace, provider string) {
	n.mu.Lock()
	n.back[providerName{workspace, provider}] = struct{}{}
	n.mu.Unlock()
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// Start begins to pass news on.
func (n *providerNews) Start(context.Context) error {
	ctx, stop := context.WithCancel(context.Background())
	n.stop, n.done = stop, make(chan struct{})
	go n.run(ctx)
	return nil
}

// Stop ends it and waits.
func (n *providerNews) Stop(context.Context) error {
	if n.stop != nil {
		n.stop()
		<-n.done
	}
	return nil
}

func (n *providerNews) run(ctx context.Context) {
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
				n.app.log.Warn().Err(err).Str("workspace", name.workspace).Str("provider", name.id).
					Msg("who waits for a provider could not be told that it is back")
			}
		}
	}
}

// pass finds the sessions that wait and would call this provider, and wakes them.
func (n *providerNews) pass(ctx context.Context, name providerName) error {
	waiting, err := n.app.store.WaitingForNetwork(ctx, name.workspace)
	if err != nil || len(waiting) == 0 {
		return err
	}
	everybody, err := n.servesAll(ctx, name)
	if err != nil {
		return err
	}
	standard, err := n.app.store.DefaultProvider(ctx, name.workspace)
	if err != nil {
		return err
	}
	for _, s := range waiting {
		ofDefault := s.ProviderID == "" && (standard == nil && name.id == "" || standard != nil && standard.ID == name.id)
		if !everybody && s.ProviderID != name.id && !ofDefault {
			continue
		}
		_, err := n.app.door.Deliver(ctx, name.workspace, s.SessionID, domain.NetworkAvailable{})
		if err != nil && ctx.Err() == nil { // it no longer waits: somebody else woke it
			n.app.log.Debug().Err(err).Str("session", s.SessionID).Msg("a session did not take the news of its provider")
		}
	}
	return nil
}

// servesAll: the provider is a fallback of every session.
func (n *providerNews) servesAll(ctx context.Context, name providerName) (bool, error) {
	w, err := n.app.store.Workspace(ctx, name.workspace)
	if err != nil {
		return false, err
	}
	return slices.Contains(w.Settings.FallbackProviders, name.id), nil
}
