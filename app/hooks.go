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

// Hooks let tests look into a server, and stop its process at an exact point. A program
// that embeds the server leaves them empty.
type Hooks struct {
	// Wired is given the parts of the server once they are wired. Nothing runs yet.
	Wired func(*Parts)
	// Clock and NewID stand for the system's clock and for ids that are nowhere else.
	Clock clock.Clock
	NewID domain.IDSource
	// Handlers is given what the API is made of, before it is.
	Handlers func(*handlers.Config)
	// Committed is told of each change that this process committed, after everybody else.
	Committed func(*domain.Change)
	// AroundCommit carries out each COMMIT of the database, or does not.
	AroundCommit func(commit func() error) error
	// Caution stands for the usual waits before a session whose process died is taken up
	// again.
	Caution domain.Caution
}

// withDefaults is what a server without tests runs with.
func (h Hooks) withDefaults() Hooks {
	if h.Clock == nil {
		h.Clock = clock.System
	}
	if h.NewID == nil {
		h.NewID = ids.New
	}
	return h
}

// Parts are what a server is made of.
type Parts struct {
	Store     *repository.Store
	Broker    *stream.Broker
	Catalogue *commands.Catalogue
	Loop      *orchestrator.Loop
	Scheduling
	Node *bus.Node // nil with SQLite
	// Prune deletes what is past its time, as it is done from time to time.
	Prune func(context.Context) error
	// MetricsAddr is the address of the metrics' own listener, once the server was started.
	MetricsAddr func() string
}

func (a *App) parts() *Parts {
	return &Parts{
		Store: a.store, Broker: a.broker, Catalogue: a.catalogue, Loop: a.loop, Scheduling: a.scheduling, Node: a.node, Prune: a.prune,
		MetricsAddr: func() string { return a.scraped.listener.Addr().String() },
	}
}
