package app

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

// hostsTTL is how long another node's change of a workspace's allowed_hosts may stay unnoticed.
const hostsTTL = 5 * time.Second

// allowedHosts caches the allowed hosts of each workspace, which every AI call needs.
type allowedHosts struct {
	workspace func(ctx context.Context, id string) (*domain.Workspace, error)
	cache     *cache.TTL[string, egress.Hosts]
}

func newAllowedHosts(c clock.Clock, workspace func(ctx context.Context, id string) (*domain.Workspace, error)) *allowedHosts {
	return &allowedHosts{workspace, cache.NewTTL[string, egress.Hosts](c, hostsTTL)}
}

// of returns the hosts that requests of a workspace may reach.
func (a *allowedHosts) of(ctx context.Context, workspace string) (egress.Hosts, error) {
	return a.cache.Get(workspace, func() (egress.Hosts, bool, error) {
		w, err := a.workspace(ctx, workspace)
		if err != nil {
			return egress.Hosts{}, false, err
		}
		hosts, err := egress.ParseHosts(w.Settings.AllowedHosts)
		if err != nil {
			return egress.Hosts{}, false, fmt.Errorf("read allowed_hosts: %w", err)
		}
		return hosts, true, nil
	})
}
