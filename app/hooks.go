package app

import (
	"context"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/stream"
	"github.com/fermata-dev/fermata/stream/bus"
)

// Hooks let tests inspect a server, and stop its process at an exact point. A program that embeds
// the server leaves them empty.
type Hooks struct {
	// Wired receives the parts of the server once they are wired, before anything runs.
	Wired func(*Parts)
	// Clock and NewID replace the system clock and the generator of unique ids.
	Clock clock.Clock
	NewID domain.IDSource
	// Handlers receives the configuration of the API before the API is created.
	Handlers func(*handlers.Config)
	// Committed receives each change that this process committed, after all other listeners.
	Committed func(*domain.Change)
	// AroundCommit performs each COMMIT of the database, or skips it.
	AroundCommit func(commit func() error) error
	// Caution replaces the usual delays before a session is recovered after its process died.
	Caution domain.Caution
}

// withDefaults fills in the production values.
func (h Hooks) withDefaults() Hooks {
	if h.Clock == nil {
		h.Clock = clock.System
	}
	if h.NewID == nil {
		h.NewID = ids.New
	}
	return h
}

// Parts are the components of a server.
type Parts struct {
	Store     *repository.Store
	Broker    *stream.Broker
	Catalogue *commands.Catalogue
	Loop      *orchestrator.Loop
	Scheduling
	Node *bus.Node // nil with SQLite
	// Prune deletes expired rows, as housekeeping does periodically.
	Prune func(context.Context) error
	// MetricsAddr is the address of the metrics listener, once the server has started.
	MetricsAddr func() string
}

func (a *App) parts() *Parts {
	return &Parts{
		Store: a.store, Broker: a.broker, Catalogue: a.catalogue, Loop: a.loop, Scheduling: a.scheduling, Node: a.node, Prune: a.prune,
		MetricsAddr: func() string { return a.scraped.Addr() },
	}
}
