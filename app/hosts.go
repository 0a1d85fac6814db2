package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

const (
	// hostsRemembered is how long another node's change of a workspace's allowed_hosts may go unseen.
	hostsRemembered = 5 * time.Second
	maxHosts        = 10_000 // workspaces remembered
)

// allowedHosts remembers where requests of each workspace may go: each call of a model asks.
type allowedHosts struct {
	workspace func(ctx context.Context, id string) (*domain.Workspace, error)
	clock     clock.Clock

	mu         sync.Mutex
	generation int // what was read before a change is not remembered after it
	known      map[string]knownHosts
}

type knownHosts struct {
	hosts egress.Hosts
	until time.Time
}

// of is where requests of a workspace may go.
func (a *allowedHosts) of(ctx context.Context, workspace string) (egress.Hosts, error) {
	a.mu.Lock()
	hit, ok := a.known[workspace]
	generation := a.generation
	a.mu.Unlock()
	if ok && a.clock().Before(hit.until) {
		return hit.hosts, nil
	}
	w, err := a.workspace(ctx, workspace)
	if err != nil {
		return egress.Hosts{}, err
	}
	hosts, err := egress.ParseHosts(w.Settings.AllowedHosts)
	if err != nil {
		return egress.Hosts{}, fmt.Errorf("read allowed_hosts: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if generation != a.generation {
		return hosts, nil
	}
	if len(a.known) >= maxHosts {
		clear(a.known)
	}
	a.known[workspace] = knownHosts{hosts, a.clock().Add(hostsRemembered)}
	return hosts, nil
}

// changed forgets a workspace, whose settings are others now.
func (a *allowedHosts) changed(workspace string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.generation++
	delete(a.known, workspace)
}
