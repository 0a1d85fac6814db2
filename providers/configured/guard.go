package configured

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/providers"
)

// Guarded is a provider behind a Board.
type Guarded struct {
	providers.Provider
	board *Board
	key   ModelKey
}

// Guard puts a provider behind the board.
func (b *Board) Guard(key ModelKey, p providers.Provider) *Guarded {
	return &Guarded{Provider: p, board: b, key: key}
}

// Query asks, unless the provider is known to be down.
func (g *Guarded) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	leave, err := g.board.Enter(g.keyOf(request))
	if err != nil {
		return nil, err
	}
	return g.call(ctx, request, leave)
}

// Try asks even if the provider is known to be down: a person wants to know.
func (g *Guarded) Try(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	key := g.keyOf(request)
	return g.call(ctx, request, func(err error) { g.board.leave(key, false, err) })
}

func (g *Guarded) keyOf(request *providers.Request) ModelKey {
	key := g.key
	if small := g.Abilities().SmallModel; request.Small && small != "" {
		key.Model = small
	}
	return key
}

// call makes the call and says how much of an answer had come if it failed.
func (g *Guarded) call(ctx context.Context, request *providers.Request, leave func(error)) (answer *providers.Answer, err error) {
	left := false
	defer func() {
		if !left { // a panic of an adapter
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
		copied := *e // some are shared
		copied.Partial = true
		err = &copied
	}
	left = true
	leave(err)
	return answer, err
}

var errUnknown = errors.New("it did not come to an end")

func asError(err error) (*providers.Error, bool) { return errors.AsType[*providers.Error](err) }
