package app

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/internal/lifecycle"
)

// every is a service that does something again and again. Its context ends when it is told
// to stop; Stop waits for what is being done.
func every(interval time.Duration, do func(context.Context)) lifecycle.Service {
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
	return lifecycle.Func{
		OnStart: func(context.Context) error { go loop(); return nil },
		OnStop:  func(context.Context) error { stop(); <-done; return nil },
	}
}
