package configured

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/internal/breaker"
	"github.com/fermata-dev/fermata/providers"
)

// Guarded is a provider behind a circuit breaker.
type Guarded struct {
	providers.Provider
	board *Board
	key   ModelKey
}

// Guard returns the provider behind the board's breaker.
func (b *Board) Guard(key ModelKey, p providers.Provider) *Guarded {
	return &Guarded{Provider: p, board: b, key: key}
}

// Query calls the provider unless its breaker is open.
func (g *Guarded) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	leave, err := g.board.Enter(g.keyOf(request))
	if err != nil {
		return nil, err
	}
	return g.call(ctx, request, leave)
}

// Try calls the provider even if its breaker is open, for a test by a person.
func (g *Guarded) Try(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	key := g.keyOf(request)
	return g.call(ctx, request, func(err error) { g.board.leave(key, breaker.Allowed, err) })
}

func (g *Guarded) keyOf(request *providers.Request) ModelKey {
	key := g.key
	if small := g.Abilities().SmallModel; request.Small && small != "" {
		key.Model = small
	}
	return key
}

// call makes the call and adds the received part of the answer to an error.
func (g *Guarded) call(ctx context.Context, request *providers.Request, leave func(error)) (answer *providers.Answer, err error) {
	left := false
	defer func() {
		if !left { // the adapter panicked
			leave(errUnknown)
		}
	}()
	ctx, progress := providers.WithProgress(ctx)
	own, pieces := *request, false
	if listener := request.OnDelta; listener != nil {
		own.OnDelta = func(d providers.Delta) {
			pieces = true
			listener(d)
		}
	}
	answer, err = g.Provider.Query(ctx, &own)
	if e, ok := asError(err); ok && (pieces || progress.Began() && request.OnDelta == nil && !e.Said) {
		copied := *e // some errors are shared
		copied.Partial = true
		err = &copied
	}
	left = true
	leave(err)
	return answer, err
}

var errUnknown = errors.New("the call did not finish")

func asError(err error) (*providers.Error, bool) { return errors.AsType[*providers.Error](err) }
