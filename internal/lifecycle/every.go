package lifecycle

import (
	"context"
	"time"
)

// Every is a service that calls do at an interval. Stop cancels its context and waits for a running
// call.
func Every(interval time.Duration, do func(context.Context)) Service {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	loop := func() {
		defer close(done)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				do(ctx)
			}
		}
	}
	return Func{
		OnStart: func(context.Context) error { go loop(); return nil },
		OnStop:  func(context.Context) error { stop(); <-done; return nil },
	}
}
