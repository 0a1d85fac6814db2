package edge

import (
	"context"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// resolver computes what segments mean, and their linear text.
type resolver func(ctx context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error)

func RichTextOf(ctx context.Context, ws string, in *api.MessageContent, resolve resolver) (*domain.RichContent, error) {
	rich, whole, err := in.Domain()
	if err != nil || whole {
		return rich, err
	}
	rich, err = resolve(ctx, ws, rich.Segments)
	return rich, in.FileErrors(err)
}
