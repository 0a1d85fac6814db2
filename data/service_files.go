package data

import (
	"context"
	"io"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// ExportEntries writes the entries of a tool as CSV.
func (s *Service) ExportEntries(ctx context.Context, workspace string, query userdata.EntryQuery, out io.Writer) error {
	store := s.repository.Read(workspace)
	if _, err := store.Tool(ctx, query.ToolID); err != nil {
		return err
	}
	return s.rules.ExportEntries(ctx, store, query, out)
}

// ImportEntries stores a CSV file of entries, all or nothing. It reads the whole file before the
// transaction begins, so that a slow client blocks no other.
func (s *Service) ImportEntries(ctx context.Context, workspace, tool string, file io.Reader,
	dryRun bool) (*userdata.ImportResult, int64, error) {
	w, err := s.repository.Workspace(ctx, workspace)
	if err != nil {
		return nil, 0, err
	}
	store := s.repository.Read(workspace)
	if _, err := store.Tool(ctx, tool); err != nil {
		return nil, 0, err
	}
	env := EnvOf(w, s.now(), s.newID)
	env.Writer = trust.Writer{} // a file's lines were not typed by the person who sends it
	read, err := s.rules.ReadEntries(ctx, store, env, tool, file)
	if err != nil {
		return nil, 0, err
	}
	result := read.result(dryRun)
	if dryRun {
		return result, 0, nil
	}
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.ImportResult, []domain.DataChange, error) {
		changes, err := s.rules.StoreEntries(ctx, store, env, read)
		return result, changes, err
	})
}

func (in *Import) result(dryRun bool) *userdata.ImportResult {
	result := &userdata.ImportResult{DryRun: dryRun, Count: len(in.Entries), Changed: len(in.Changed), Unchanged: in.Unchanged}
	for _, entries := range [][]userdata.Entry{in.Entries, in.Changed} {
		for i := range entries {
			at := entries[i].Timestamp
			if result.First == nil || at.Before(*result.First) {
				result.First = &at
			}
			if result.Last == nil || at.After(*result.Last) {
				result.Last = &at
			}
		}
	}
	return result
}
