package app

import (
	"context"
	"io"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

func (s dataService) ExportEntries(ctx context.Context, workspace string, filter domain.EntryFilter, out io.Writer) error {
	data := s.reader(workspace)
	if _, err := data.Tool(ctx, filter.ToolID); err != nil {
		return err
	}
	return s.app.catalogue.ExportEntries(ctx, data, filter, out)
}

// ImportEntries reads the whole file before the transaction begins: a slow client holds
// nobody up.
func (s dataService) ImportEntries(ctx context.Context, workspace, tool string, file io.Reader, dryRun bool) (*domain.ImportResult, int64, error) {
	w, err := s.app.store.Workspace(ctx, workspace)
	if err != nil {
		return nil, 0, err
	}
	data := s.reader(workspace)
	if _, err := data.Tool(ctx, tool); err != nil {
		return nil, 0, err
	}
	read, err := s.app.catalogue.ReadEntries(ctx, data, s.app.env(w), tool, file)
	if err != nil {
		return nil, 0, err
	}
	result := &domain.ImportResult{DryRun: dryRun, Count: len(read.Entries)}
	for i := range read.Entries {
		at := read.Entries[i].Timestamp
		result.First, result.Last = earlier(result.First, at, at.Before), earlier(result.Last, at, at.After)
	}
	if dryRun {
		return result, 0, nil
	}
	seq, err := s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		return s.app.catalogue.StoreEntries(ctx, data, env, read)
	})
	return result, seq, err
}

// earlier is the one of two times that comes first as before says.
func earlier(have *time.Time, at time.Time, before func(time.Time) bool) *time.Time {
	if have == nil || before(*have) {
		return &at
	}
	return have
}
