package app

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/lifecycle"
	"github.com/fermata-dev/fermata/repository"
)

// pruneEvery is how often what is no longer needed is deleted.
const pruneEvery = 10 * time.Minute

// housekeeping deletes old idempotency keys, the events that are past their time, what was
// deleted too long ago to be restored, and files that no message refers to. And it looks whether the
// certificate has to be renewed.
func (a *App) housekeeping() lifecycle.Service {
	return every(pruneEvery, func(ctx context.Context) {
		_, _ = a.tls.look()
		if err := a.prune(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn().Err(err).Msg("housekeeping failed; it is tried again")
		}
	})
}

// releaseEvery is how often keys are given free that requests left while the database was away.
const releaseEvery = time.Second

func releasing(keys *repository.RequestStore, log zerolog.Logger) lifecycle.Service {
	told := false
	return every(releaseEvery, func(ctx context.Context) {
		err := keys.ReleaseLeft(ctx)
		if err != nil && ctx.Err() == nil && !told {
			log.Warn().Err(err).Msg("Idempotency-Keys wait for the database to be given free")
		}
		told = err != nil
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
		return fmt.Errorf("prune subscriptions to pushes: %w", err)
	}
	if err := a.store.PruneDeleted(ctx, now.Add(-domain.UndoWithin)); err != nil {
		return fmt.Errorf("prune what was deleted: %w", err)
	}
	if err := a.store.Files.PruneFiles(ctx, now); err != nil {
		return fmt.Errorf("prune files: %w", err)
	}
	return nil
}
