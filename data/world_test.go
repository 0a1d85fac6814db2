package data

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC) // a Wednesday

const ws = domain.DefaultWorkspace

// world is a workspace with some data: in a transaction for the rules, and committed for
// the service.
type world struct {
	t     *testing.T
	rules *Rules
	data  *repository.Data // for the rules
	env   Env
}

// newWorld has the zone zon_h (Health) with the tool tol_w (Weight, tracking, 30 to 200),
// which has two entries.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, rules: NewRules(), data: suite.InTransaction(t, suite.SQLite(t))}
	w.env = Env{WorkspaceID: ws, SessionID: "ses_1", Settings: domain.DefaultSettings(), Now: noon, NewID: repeatable.IDs()}
	w.ok(furnish(t.Context(), w.data))
	return w
}

func furnish(ctx context.Context, d Store) error {
	entries := make([]userdata.Entry, 0, 2)
	for i, kg := range []string{"72.5", "71.9"} {
		entries = append(entries, userdata.Entry{
			ID: []string{"ent_a", "ent_b"}[i], ToolID: "tol_w", Timestamp: noon.AddDate(0, 0, i-2), Data: json.RawMessage(`{"value":` + kg + `}`),
			Version: 1, CreatedAt: noon, UpdatedAt: noon,
		})
	}
	return errors.Join(
		d.InsertZone(ctx, &userdata.Zone{ID: "zon_h", ZoneFields: userdata.ZoneFields{Name: "Health", Description: "All of it"}, CreatedAt: noon, UpdatedAt: noon}),
		d.InsertTool(ctx, &userdata.Tool{
			ID:         "tol_w",
			ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "tracking", Name: "Weight", Config: json.RawMessage(`{"max":200,"min":30,"unit":"kg"}`)},
			CreatedAt:  noon,
			UpdatedAt:  noon,
		}),
		d.InsertEntries(ctx, entries),
	)
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// pointerOf is the pointer of the first wrong value.
func pointerOf(err error) string {
	if e, ok := errors.AsType[*domain.Error](err); ok && len(e.Fields) > 0 {
		return e.Fields[0].Pointer
	}
	return "none"
}

// stores shows the repository to a service, as the server does.
type stores struct {
	*repository.Store
	*repository.WorkspaceStore
}

func (s stores) Read(workspace string) Reader { return s.ReadData(workspace) }

func (s stores) Write(ctx context.Context, workspace string,
	change func(context.Context, Store) ([]domain.DataChange, error)) (int64, error) {
	return s.WriteData(ctx, workspace, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) { return change(ctx, d) })
}

// newService has the data of newWorld, committed.
func newService(t *testing.T) (*Service, stores) {
	t.Helper()
	db := suite.SQLite(t)
	store := stores{db, db.Workspaces}
	_, err := store.Write(t.Context(), ws, func(ctx context.Context, d Store) ([]domain.DataChange, error) { return nil, furnish(ctx, d) })
	if err != nil {
		t.Fatal(err)
	}
	return NewService(store, NewRules(), func() time.Time { return noon }, repeatable.IDs()), store
}
