package app

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/stream/bus"
)

// wireNode connects this server to the other nodes that share its database.
func (a *App) wireNode(gone func()) {
	if a.flags.DatabaseURL == "" {
		return
	}
	url := a.flags.DatabaseDirectURL
	if url == "" {
		url = a.flags.DatabaseURL
	}
	a.node = bus.New(bus.Config{
		ID: a.incarnation, Wire: &bus.Postgres{URL: url, Log: a.log}, Broker: a.broker, Events: a.store.Events,
		Scheduler: localNode{a}, Runner: localNode{a}, Gone: gone, Clock: a.clock, Log: a.log,
		Causes: map[string]error{
			"preempted": orchestrator.ErrPreempted, "interrupted": orchestrator.ErrInterrupted,
			"stopped": orchestrator.ErrStopped, "fenced": orchestrator.ErrFenced,
		},
	})
	a.broker.Join(a.node)
}

// localNode handles requests of other nodes, once everything is wired.
type localNode struct{ app *App }

var (
	_ bus.Scheduler = localNode{}
	_ bus.Runner    = localNode{}
)

func (n localNode) HandleHint(hint domain.Hint) {
	n.app.scheduling.Door.HandleHint(hint)
	n.app.webhooks.Hinted(hint)
	if hint.Connectors > 0 {
		remoteConnectorsChanged(n.app, hint.WorkspaceID, hint.Connectors)
	}
}
func (n localNode) Sweep() {
	n.app.scheduling.Door.Sweep()
	go func() {
		for _, workspace := range n.app.connectors.Manager.Known() {
			remoteConnectorsChanged(n.app, workspace, 0)
		}
	}()
}
func (n localNode) Cut(session string, epoch int64, cause error) {
	n.app.loop.Cut(session, epoch, cause)
}
func (n localNode) Yield(session string)    { n.app.loop.Yield(session) }
func (n localNode) Forget(workspace string) { n.app.loop.Forget(workspace) }

// clusterRunner is the run loop across all nodes: the session to interrupt may be driven by any node.
type clusterRunner struct {
	*orchestrator.Loop
	node *bus.Node
}

func (r clusterRunner) Drive(view *domain.View, effect domain.Effect) {
	r.Loop.Drive(view, effect)
	r.node.Cut(view.Session.ID, view.Session.RunEpoch, orchestrator.ErrFenced)
}

func (r clusterRunner) Cut(session string, epoch int64, cause error) {
	r.Loop.Cut(session, epoch, cause)
	r.node.Cut(session, epoch, cause)
}

func (r clusterRunner) Yield(session string) {
	r.Loop.Yield(session)
	r.node.Yield(session)
}

func (a *App) runner() scheduler.Runner {
	if a.node == nil {
		return a.loop
	}
	return clusterRunner{a.loop, a.node}
}

// gather fetches the streamed text of an answer from the node that writes it.
func (a *App) gather() func(context.Context, *domain.Session) func() {
	if a.node == nil {
		return nil
	}
	return a.node.Gather
}
