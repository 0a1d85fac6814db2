package servertest

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/handlers"
)

// WireServer makes a whole server as the program does, of which nothing runs yet, and gives what its API is made of.
func WireServer(tb testing.TB, w Wiring) (config handlers.Config, behind Behind) {
	tb.Helper()
	var parts *app.Parts
	_, err := app.New(tb.Context(), app.Config{
		Database: app.Database{DataDir: w.Dir}, RootKey: w.RootKey, ShutdownGrace: time.Millisecond, PublicURL: w.PublicURL,
		Outside: app.Outside{AllowedHosts: []string{"127.0.0.1"}},
		TestHooks: app.Hooks{
			Clock: w.Clock, NewID: w.NewID,
			Handlers: func(c *handlers.Config) { config = *c }, Wired: func(p *app.Parts) { parts = p },
		},
	})
	if err != nil {
		tb.Fatalf("wire the server: %v", err)
	}
	if err := parts.Broker.Start(tb.Context()); err != nil {
		tb.Fatalf("start the streams: %v", err)
	}
	if w.Schedules {
		if err := parts.Scheduling.Loop.Start(tb.Context()); err != nil {
			tb.Fatalf("start the scheduler: %v", err)
		}
	}
	return config, Behind{Store: parts.Store, Broker: parts.Broker, Stop: func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		stop(ctx, tb, parts)
	}}
}

func stop(ctx context.Context, tb testing.TB, parts *app.Parts) {
	tb.Helper()
	parts.Broker.Drain()
	for what, end := range map[string]func() error{
		"scheduler": func() error { return parts.Scheduling.Loop.Stop(ctx) },
		"tasks":     func() error { return parts.Tasks.Stop(ctx) }, "drivers": func() error { return parts.Loop.Stop(ctx) },
		"streams": func() error { return parts.Broker.Stop(ctx) },
	} {
		if err := end(); err != nil {
			tb.Errorf("stop the %s: %v", what, err)
		}
	}
	if err := parts.Store.Close(); err != nil {
		tb.Errorf("close the database: %v", err)
	}
}
