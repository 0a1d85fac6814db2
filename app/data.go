package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/repository"
)

// dataService keeps the user's data for the API: the catalogue's rules, within the
// repository's transactions. What a client writes passes the same checks as what the
// AI does.
type dataService struct{ app *App }

var _ interface {
	handlers.Zones
	handlers.Tools
	handlers.ToolTypes
	handlers.Entries
	handlers.EntryFiles
	handlers.Documents
	handlers.DocumentVersions
	handlers.Undo
	handlers.Periods
} = dataService{}

// env is what the rules must know when no session is concerned.
func (a *App) env(w *domain.Workspace) commands.Env {
	return commands.Env{WorkspaceID: w.ID, Settings: w.Settings, Now: a.clock(), NewID: ids.New}
}

// write runs a rule in a transaction and emits what it changed.
func (s dataService) write(ctx context.Context, workspace string, rule func(context.Context, *repository.Data, commands.Env) ([]domain.DataChange, error)) (int64, error) {
	w, err := s.app.store.Workspace(ctx, workspace)
	if err != nil {
		return 0, err
	}
	seq, err := s.app.store.WriteData(ctx, workspace, func(ctx context.Context, data *repository.Data) ([]domain.DataChange, error) {
		return rule(ctx, data, s.app.env(w))
	})
	if err != nil {
		return 0, stale(err, "data")
	}
	return seq, nil
}

// reader reads the committed data.
func (s dataService) reader(workspace string) *repository.Data {
	return s.app.store.ReadData(workspace)
}

// stale turns a lost race into the refusal of an old version.
func stale(err error, noun string) error {
	if errors.Is(err, domain.ErrStale) {
		return domain.ChangedSince(noun)
	}
	return err
}

func one(c domain.DataChange, err error) ([]domain.DataChange, error) {
	if err != nil {
		return nil, err
	}
	return []domain.DataChange{c}, nil
}

// checkVersion holds the version of If-Match (0: none) against the present one.
func checkVersion(want, have int64, noun string) error {
	if want != 0 && want != have {
		return domain.ChangedSince(noun)
	}
	return nil
}

func (s dataService) Zones(ctx context.Context, workspace, cursor string, limit int) ([]domain.Zone, string, error) {
	return s.reader(workspace).ZonesPage(ctx, cursor, limit)
}

func (s dataService) Zone(ctx context.Context, workspace, id string) (*domain.Zone, error) {
	return s.reader(workspace).Zone(ctx, id)
}

func (s dataService) CreateZone(ctx context.Context, workspace string, zone *domain.Zone) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		made, change, err := s.app.catalogue.CreateZone(ctx, data, env, commands.ZoneInput{
			Name: zone.Name, Description: zone.Description, Colour: zone.Colour, Position: zone.Position,
			RequireValidation: zone.RequireValidation,
		})
		if err == nil {
			*zone = *made
		}
		return one(change, err)
	})
}

func (s dataService) UpdateZone(ctx context.Context, workspace, id string, version int64, change func(*domain.Zone) error) (*domain.Zone, int64, error) {
	var zone *domain.Zone
	seq, err := s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := data.Zone(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := checkVersion(version, have.Version, "zone"); err != nil {
			return nil, err
		}
		want := *have
		if err := change(&want); err != nil {
			return nil, err
		}
		var done domain.DataChange
		zone, done, err = s.app.catalogue.UpdateZone(ctx, data, env, id, commands.ZonePatch{
			Name: &want.Name, Description: &want.Description, Colour: &want.Colour, Position: &want.Position,
			RequireValidation: &want.RequireValidation,
		})
		return one(done, err)
	})
	return zone, seq, err
}

func (s dataService) DeleteZone(ctx context.Context, workspace, id string, version int64, force bool) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := data.Zone(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := checkVersion(version, have.Version, "zone"); err != nil {
			return nil, err
		}
		return one(s.app.catalogue.DeleteZone(ctx, data, env, id, force))
	})
}

func (s dataService) Tools(ctx context.Context, workspace, zone, cursor string, limit int) ([]domain.Tool, string, error) {
	if zone != "" {
		if _, err := s.reader(workspace).Zone(ctx, zone); err != nil {
			return nil, "", err
		}
	}
	return s.reader(workspace).ToolsPage(ctx, zone, cursor, limit)
}

func (s dataService) Tool(ctx context.Context, workspace, id string) (*domain.Tool, error) {
	return s.reader(workspace).Tool(ctx, id)
}

func (s dataService) CreateTool(ctx context.Context, workspace string, tool *domain.Tool) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		made, change, err := s.app.catalogue.CreateTool(ctx, data, env, commands.ToolInput{
			ZoneID: tool.ZoneID, ToolType: tool.ToolType, Name: tool.Name, Description: tool.Description, Config: tool.Config,
			AlwaysSend: tool.AlwaysSend, RequireValidation: tool.RequireValidation, Position: tool.Position,
		})
		if err == nil {
			*tool = *made
		}
		return one(change, err)
	})
}

func (s dataService) UpdateTool(ctx context.Context, workspace, id string, version int64, change func(*domain.Tool) error) (*domain.Tool, int64, error) {
	var tool *domain.Tool
	seq, err := s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := data.Tool(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := checkVersion(version, have.Version, "tool"); err != nil {
			return nil, err
		}
		want := *have
		if err := change(&want); err != nil {
			return nil, err
		}
		patch, err := patchTo(have.Config, want.Config)
		if err != nil {
			return nil, err
		}
		var done domain.DataChange
		tool, done, err = s.app.catalogue.UpdateTool(ctx, data, env, id, commands.ToolPatch{
			ZoneID: &want.ZoneID, Name: &want.Name, Description: &want.Description, Config: patch,
			AlwaysSend: &want.AlwaysSend, RequireValidation: &want.RequireValidation, Position: &want.Position,
		})
		return one(done, err)
	})
	return tool, seq, err
}

// patchTo is the merge patch that makes want of have; nil when they are the same.
func patchTo(have, want json.RawMessage) (json.RawMessage, error) {
	if bytes.Equal(have, want) {
		return nil, nil
	}
	var old, fields map[string]json.RawMessage
	if err := json.Unmarshal(have, &old); err != nil {
		return nil, fmt.Errorf("read what is stored: %w", err)
	}
	if err := json.Unmarshal(want, &fields); err != nil || fields == nil {
		return nil, domain.Invalid("", "type", "This must be an object.")
	}
	for key := range old {
		if _, kept := fields[key]; !kept {
			fields[key] = json.RawMessage("null")
		}
	}
	return json.Marshal(fields)
}

func (s dataService) DeleteTool(ctx context.Context, workspace, id string, version int64, force bool) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := data.Tool(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := checkVersion(version, have.Version, "tool"); err != nil {
			return nil, err
		}
		return one(s.app.catalogue.DeleteTool(ctx, data, env, id, force))
	})
}

func (s dataService) Entries(ctx context.Context, workspace string, filter domain.EntryFilter) ([]domain.Entry, string, error) {
	if _, err := s.reader(workspace).Tool(ctx, filter.ToolID); err != nil {
		return nil, "", err
	}
	return s.reader(workspace).Entries(ctx, filter)
}

func (s dataService) Entry(ctx context.Context, workspace, id string) (*domain.Entry, error) {
	return s.reader(workspace).Entry(ctx, id)
}

func (s dataService) CreateEntries(ctx context.Context, workspace, tool string, entries []domain.Entry) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		if _, err := data.Tool(ctx, tool); err != nil {
			return nil, err // the tool is in the path: 404, not a wrong value
		}
		in := make([]commands.EntryInput, len(entries))
		for i, e := range entries {
			in[i].Data = e.Data
			if !e.Timestamp.IsZero() {
				in[i].Timestamp = e.Timestamp.Format(time.RFC3339Nano)
			}
		}
		made, change, err := s.app.catalogue.CreateEntries(ctx, data, env, tool, in)
		if err == nil {
			copy(entries, made)
		}
		return one(change, err)
	})
}

func (s dataService) UpdateEntry(ctx context.Context, workspace, id string, version int64, change func(*domain.Entry) error) (*domain.Entry, int64, error) {
	var entry *domain.Entry
	seq, err := s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := data.Entry(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := checkVersion(version, have.Version, "entry"); err != nil {
			return nil, err
		}
		want := *have
		if err := change(&want); err != nil {
			return nil, err
		}
		patch, err := patchTo(have.Data, want.Data)
		if err != nil {
			return nil, err
		}
		at := want.Timestamp.Format(time.RFC3339Nano)
		var done domain.DataChange
		entry, done, err = s.app.catalogue.UpdateEntry(ctx, data, env, id, commands.EntryPatch{Timestamp: &at, Data: patch})
		return one(done, err)
	})
	return entry, seq, err
}

func (s dataService) DeleteEntry(ctx context.Context, workspace, id string, version int64) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := data.Entry(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := checkVersion(version, have.Version, "entry"); err != nil {
			return nil, err
		}
		return s.app.catalogue.DeleteEntries(ctx, data, env, []string{id})
	})
}

func (s dataService) EntryStats(ctx context.Context, workspace, tool string, q handlers.StatsQuery) ([]domain.Stats, error) {
	w, err := s.app.store.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	data := s.reader(workspace)
	if _, err := data.Tool(ctx, tool); err != nil {
		return nil, err
	}
	period := domain.Period{}
	if !q.From.IsZero() {
		period.Start = q.From.Format(time.RFC3339Nano)
	}
	if !q.Until.IsZero() {
		period.End = q.Until.Format(time.RFC3339Nano)
	}
	stats, err := s.app.catalogue.Stats(ctx, data, s.app.env(w), commands.StatsQuery{
		ToolID: tool, Field: q.Field, Period: period, GroupBy: q.GroupBy,
	})
	if err != nil {
		return nil, err
	}
	if q.GroupBy == "" {
		return []domain.Stats{stats.Total}, nil
	}
	return stats.Groups, nil
}
