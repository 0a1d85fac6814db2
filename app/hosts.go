package app

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/lately"
)

// hostsRemembered is how long another node's change of a workspace's allowed_hosts may go unseen.
const hostsRemembered = 5 * time.Second

// allowedHosts is where requests of each workspace may go: each call of a model asks.
type allowedHosts struct {
	workspace func(ctx context.Context, id string) (*domain.Workspace, error)
	known     *lately.Memory[string, egress.Hosts]
}

func newAllowedHosts(c clock.Clock, workspace func(ctx context.Context, id string) (*domain.Workspace, error)) *allowedHosts {
	return &allowedHosts{workspace, lately.New[string, egress.Hosts](c, hostsRemembered)}
}

// of is where requests of a workspace may go.
func (a *allowedHosts) of(ctx context.Context, workspace string) (egress.Hosts, error) {
	return a.known.Get(workspace, func() (egress.Hosts, bool, error) {
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
