package servertest

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/handlers"
)

// WireServer makes a whole server as the program does, of which nothing runs yet, and gives what its API is made of.
func WireServer(t testing.TB, w Wiring) (config handlers.Config, behind Behind) {
	t.Helper()
	var parts *app.Parts
	_, err := app.New(t.Context(), app.Config{
		Database: app.Database{DataDir: w.Dir}, RootKey: w.RootKey, ShutdownGrace: time.Millisecond, PublicURL: w.PublicURL,
		Outside: app.Outside{AllowedHosts: []string{"127.0.0.1"}},
		TestHooks: app.Hooks{
			Clock: w.Clock, NewID: w.NewID,
			Handlers: func(c *handlers.Config) { config = *c }, Wired: func(p *app.Parts) { parts = p },
		},
	})
	if err != nil {
		t.Fatalf("wire the server: %v", err)
	}
	if err := parts.Broker.Start(t.Context()); err != nil {
		t.Fatalf("start the streams: %v", err)
	}
	return config, Behind{Store: parts.Store, Broker: parts.Broker, Stop: func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		stop(ctx, t, parts)
	}}
}

func stop(ctx context.Context, t testing.TB, parts *app.Parts) {
	parts.Broker.Drain()
	for what, end := range map[string]func() error{
		"tasks": func() error { return parts.Tasks.Stop(ctx) }, "drivers": func() error { return parts.Loop.Stop(ctx) },
		"streams": func() error { return parts.Broker.Stop(ctx) },
	} {
		if err := end(); err != nil {
			t.Errorf("stop the %s: %v", what, err)
		}
	}
	if err := parts.Store.Close(); err != nil {
		t.Errorf("close the database: %v", err)
	}
}
