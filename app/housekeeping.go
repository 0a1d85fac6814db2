package app

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/lifecycle"
	"github.com/fermata-dev/fermata/repository/requests"
)

// pruneEvery is the interval between deletions of expired rows.
const pruneEvery = 10 * time.Minute

// housekeeping deletes expired idempotency keys, events and files without references, and purges
// deleted data that can no longer be restored. It also checks whether the certificate expires soon.
func (a *App) housekeeping() lifecycle.Service {
	return lifecycle.Every(pruneEvery, func(ctx context.Context) {
		a.tls.Look()
		if err := a.prune(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn().Err(err).Msg("housekeeping failed and will be retried")
		}
	})
}

// releaseEvery is how often Idempotency-Keys are released that requests could not release because the
// database was unreachable.
const releaseEvery = time.Second

func releasing(keys *requests.RequestStore, log zerolog.Logger) lifecycle.Service {
	failing := false
	return lifecycle.Every(releaseEvery, func(ctx context.Context) {
		err := keys.ReleaseLeft(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			log.Warn().Err(err).Msg("Idempotency-Keys could not be released while the database is unreachable")
		}
		failing = err != nil
	})
}

func (a *App) prune(ctx context.Context) error {
	now := a.clock()
	if err := a.store.Requests.PruneIdempotency(ctx, now); err != nil {
		return fmt.Errorf("prune idempotency keys: %w", err)
	}
	if err := a.store.Events.PruneEvents(ctx, now.Add(-a.flags.EventRetention)); err != nil {
		return fmt.Errorf("prune events: %w", err)
	}
	if err := a.store.Webhooks.PruneDeliveries(ctx, now.Add(-a.flags.EventRetention)); err != nil {
		return fmt.Errorf("prune deliveries: %w", err)
	}
	if err := a.store.SignIns.PruneSignIns(ctx, now, now.Add(-a.flags.SignInIdle)); err != nil {
		return fmt.Errorf("prune sign-ins: %w", err)
	}
	if err := a.store.Pushes.PrunePushes(ctx, now); err != nil {
		return fmt.Errorf("prune push subscriptions: %w", err)
	}
	if err := a.store.PruneDeleted(ctx, now.Add(-userdata.UndoWithin)); err != nil {
		return fmt.Errorf("purge deleted data: %w", err)
	}
	if err := a.store.Files.PruneFiles(ctx, now); err != nil {
		return fmt.Errorf("prune files: %w", err)
	}
	return nil
}
