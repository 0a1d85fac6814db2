package app

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
)

var _ handlers.Search = dataService{}

// Search finds texts in the committed data.
func (s dataService) Search(ctx context.Context, workspace string, query domain.SearchQuery) ([]domain.SearchHit, string, error) {
	return s.reader(workspace).Search(ctx, query)
}
