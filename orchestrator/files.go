package orchestrator

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// Files reads what messages refer to.
type Files interface {
	// FilesPresent returns which of these files have not been deleted.
	FilesPresent(ctx context.Context, workspace string, ids []string) (map[string]bool, error)
	FileContent(ctx context.Context, workspace, id string) ([]byte, error)
}

// withFiles adds the contents of the files in a history, for a model. A history without files needs no
// query.
func (d *driver) withFiles(ctx context.Context, h past, model *providers.Model) ([]*ai.Turn, int, error) {
	if len(h.files) == 0 {
		return h.turns, h.size, nil
	}
	s, files := d.session, d.loop.cfg.Files
	present, err := files.FilesPresent(ctx, s.WorkspaceID, h.files)
	if err != nil {
		return nil, 0, fmt.Errorf("look for the files of a history: %w", err)
	}
	budget, bounded := d.room().of(model)
	fill := &prompt.Files{
		Mark:  prompt.Marker{Key: d.loop.cfg.MarkKey, WorkspaceID: s.WorkspaceID},
		Round: s.State.RoundID, Sees: model.Provider.Abilities().Sees, TextTokens: domain.FileTextTokens(budget, bounded), Present: present,
		Content: func(id string) ([]byte, error) { return files.FileContent(ctx, s.WorkspaceID, id) },
	}
	return fill.Fill(h.turns, h.size)
}
