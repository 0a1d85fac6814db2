package data

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Entries returns a page of the entries of a tool.
func (s *Service) Entries(ctx context.Context, workspace string, query userdata.EntryQuery) ([]userdata.Entry, string, error) {
	store := s.repository.Read(workspace)
	if _, err := store.Tool(ctx, query.ToolID); err != nil {
		return nil, "", err
	}
	return s.rules.Entries(ctx, store, query)
}

// Entry is one of them.
func (s *Service) Entry(ctx context.Context, workspace, id string) (*userdata.Entry, error) {
	return s.repository.Read(workspace).Entry(ctx, id)
}

// CreateEntries adds entries to a tool, all or none. The tool is named in the path of a
// request: one that is not there is not found, and no wrong value.
func (s *Service) CreateEntries(ctx context.Context, workspace, tool string, in []userdata.EntryFields) ([]userdata.Entry, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) ([]userdata.Entry, []domain.DataChange, error) {
		if _, err := store.Tool(ctx, tool); err != nil {
			return nil, nil, err
		}
		return made(s.rules.CreateEntries(ctx, store, env, tool, in))
	})
}

// UpdateEntry changes an entry's time or data.
func (s *Service) UpdateEntry(ctx context.Context, workspace, id string, version int64,
	patch userdata.EntryPatch) (*userdata.Entry, int64, error) {
	return change(ctx, s, anEntry, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, entry *userdata.Entry) ([]domain.DataChange, error) {
			return one(s.rules.UpdateEntry(ctx, store, env, entry, patch))
		})
}

// DeleteEntry deletes an entry.
func (s *Service) DeleteEntry(ctx context.Context, workspace, id string, version int64) (int64, error) {
	_, seq, err := change(ctx, s, anEntry, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, entry *userdata.Entry) ([]domain.DataChange, error) {
			return s.rules.DeleteEntries(ctx, store, env, entry)
		})
	return seq, err
}

// RestoreEntry undoes the deletion of an entry.
func (s *Service) RestoreEntry(ctx context.Context, workspace, id string) (*userdata.Entry, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.Entry, []domain.DataChange, error) {
		return s.rules.RestoreEntry(ctx, store, env, id)
	})
}

// EntryStats are statistics of a tool's entries: of the whole period, or of each group.
func (s *Service) EntryStats(ctx context.Context, workspace string, query userdata.StatsQuery) ([]userdata.Stats, error) {
	w, err := s.repository.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	store := s.repository.Read(workspace)
	if _, err := store.Tool(ctx, query.ToolID); err != nil {
		return nil, err
	}
	stats, err := s.rules.Stats(ctx, store, EnvOf(w, s.now(), s.newID), query)
	if err != nil {
		return nil, err
	}
	if query.GroupBy == "" {
		return []userdata.Stats{stats.Total}, nil
	}
	return stats.Groups, nil
}
