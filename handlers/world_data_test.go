package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
)

// shelf keeps one kind of noun of the world, as the services of the data do.
type shelf[T any] struct {
	w       *world
	noun    string
	items   *[]T
	id      func(*T) *string
	version func(*T) *int64
}

func (s shelf[T]) get(id string) (*T, error) {
	i := find(*s.items, func(item T) bool { return *s.id(&item) == id })
	if i < 0 {
		return nil, domain.NotFound(s.noun)
	}
	item := (*s.items)[i]
	return &item, nil
}

func (s shelf[T]) create(prefix string, item T) (*T, int64, error) {
	if err := s.w.told(item); err != nil {
		return nil, 0, err
	}
	if *s.id(&item) == "" {
		*s.id(&item) = s.w.newID(prefix)
	}
	*s.version(&item) = 1
	*s.items = append(*s.items, item)
	return &item, 8, nil
}

func (s shelf[T]) change(id string, version int64, change func(*T) error) (*T, int64, error) {
	item, err := s.get(id)
	if err != nil {
		return nil, 0, err
	}
	if version != 0 && version != *s.version(item) {
		return nil, 0, domain.Errorf(CodePreconditionFailed, "It changed.")
	}
	if err := change(item); err != nil {
		return nil, 0, err
	}
	if err := s.w.told(*item); err != nil {
		return nil, 0, err
	}
	*s.version(item)++
	return item, 9, nil
}

func (s shelf[T]) remove(id string, version int64) (int64, error) {
	_, _, err := s.change(id, version, func(*T) error { return nil })
	return 10, err
}

// pageAt cuts a page out of a list by the number of items before it.
func pageAt[T any](items []T, cursor string, limit int) ([]T, string, error) {
	from, err := strconv.Atoi("0" + cursor)
	if err != nil || from > len(items) {
		return nil, "", badCursor()
	}
	to := min(from+limit, len(items))
	if to == len(items) {
		return items[from:], "", nil
	}
	return items[from:to], strconv.Itoa(to), nil
}

// restored gives what was deleted back.
func restored[T any](s shelf[T], id string) (*T, int64, error) {
	item, err := s.get(id)
	return item, 11, err
}

func (w *world) RestoreZone(_ context.Context, _, id string) (*domain.Zone, int64, error) {
	return restored(w.zoneShelf(), id)
}
func (w *world) RestoreTool(_ context.Context, _, id string) (*domain.Tool, int64, error) {
	return restored(w.toolShelf(), id)
}
func (w *world) RestoreEntry(_ context.Context, _, id string) (*domain.Entry, int64, error) {
	return restored(w.entryShelf(), id)
}
func (w *world) RestoreDocument(_ context.Context, _, id string) (*domain.Document, int64, error) {
	return restored(w.docShelf(), id)
}

func (w *world) ResolvePeriod(_ context.Context, _ string, p domain.Period) (domain.Span, error) {
	return p.Resolve(worldTime, domain.Calendar{Zone: time.UTC, WeekStart: time.Monday})
}

func (w *world) zoneShelf() shelf[domain.Zone] {
	return shelf[domain.Zone]{w, "zone", &w.zones, func(z *domain.Zone) *string { return &z.ID }, func(z *domain.Zone) *int64 { return &z.Version }}
}

func (w *world) Zones(_ context.Context, _, cursor string, limit int) ([]domain.Zone, string, error) {
	return pageAt(w.zones, cursor, limit)
}
func (w *world) Zone(_ context.Context, _, id string) (*domain.Zone, error) {
	return w.zoneShelf().get(id)
}
func (w *world) CreateZone(_ context.Context, _ string, in domain.NewZone) (*domain.Zone, int64, error) {
	return w.zoneShelf().create("zon", domain.Zone{
		Name: in.Name, Description: in.Description, Colour: in.Colour, Position: in.Position, RequireValidation: in.RequireValidation,
	})
}
func (w *world) UpdateZone(_ context.Context, _, id string, v int64, p domain.ZonePatch) (*domain.Zone, int64, error) {
	return w.zoneShelf().change(id, v, func(z *domain.Zone) error { p.Apply(z); return nil })
}
func (w *world) DeleteZone(_ context.Context, _, id string, v int64, force bool) (int64, error) {
	if _, err := w.zoneShelf().get(id); err == nil && !force {
		return 0, domain.Errorf(domain.CodeNotEmpty, "It holds tools.")
	}
	return w.zoneShelf().remove(id, v)
}

func (w *world) toolShelf() shelf[domain.Tool] {
	return shelf[domain.Tool]{w, "tool", &w.tools, func(t *domain.Tool) *string { return &t.ID }, func(t *domain.Tool) *int64 { return &t.Version }}
}

func (w *world) Tools(_ context.Context, _, _, cursor string, limit int) ([]domain.Tool, string, error) {
	return pageAt(w.tools, cursor, limit)
}
func (w *world) Tool(_ context.Context, _, id string) (*domain.Tool, error) {
	return w.toolShelf().get(id)
}
func (w *world) CreateTool(_ context.Context, _ string, in domain.NewTool) (*domain.Tool, int64, error) {
	if in.Config == nil {
		in.Config = json.RawMessage(`{}`)
	}
	return w.toolShelf().create("tol", domain.Tool{
		ZoneID: in.ZoneID, ToolType: in.ToolType, Name: in.Name, Description: in.Description, Config: in.Config,
		AlwaysSend: in.AlwaysSend, RequireValidation: in.RequireValidation, Position: in.Position,
	})
}
func (w *world) UpdateTool(_ context.Context, _, id string, v int64, p domain.ToolPatch) (*domain.Tool, int64, error) {
	return w.toolShelf().change(id, v, func(t *domain.Tool) error { return data.PatchTool(t, p) })
}
func (w *world) DeleteTool(_ context.Context, _, id string, v int64, _ bool) (int64, error) {
	return w.toolShelf().remove(id, v)
}

func (w *world) ToolTypes(context.Context, string) ([]domain.ToolType, error) { return w.types, nil }
func (w *world) ToolType(_ context.Context, _, id string) (*domain.ToolType, error) {
	if i := find(w.types, func(t domain.ToolType) bool { return t.ID == id }); i >= 0 {
		return &w.types[i], nil
	}
	return nil, domain.NotFound("tool type")
}
func (w *world) CreateToolType(_ context.Context, _ string, in domain.NewToolType) (*domain.ToolType, int64, error) {
	t := domain.ToolType{
		ID: in.ID, Name: in.Name, Description: in.Description, ConfigSchema: in.ConfigSchema, EntrySchema: in.EntrySchema,
		CreatedAt: worldTime, UpdatedAt: worldTime,
	}
	return &t, 8, w.told(t)
}
func (w *world) typeShelf() shelf[domain.ToolType] {
	return shelf[domain.ToolType]{w, "tool type", &w.types, func(t *domain.ToolType) *string { return &t.ID }, func(t *domain.ToolType) *int64 { return &t.Version }}
}
func (w *world) UpdateToolType(_ context.Context, _, id string, v int64, p domain.ToolTypePatch) (*domain.ToolType, int64, error) {
	return w.typeShelf().change(id, v, func(t *domain.ToolType) error { p.Apply(t); return nil })
}
func (w *world) DeleteToolType(_ context.Context, _, id string, v int64) (int64, error) {
	return w.typeShelf().remove(id, v)
}

func (w *world) entryShelf() shelf[domain.Entry] {
	return shelf[domain.Entry]{w, "entry", &w.entries, func(e *domain.Entry) *string { return &e.ID }, func(e *domain.Entry) *int64 { return &e.Version }}
}

func (w *world) Entries(_ context.Context, _ string, f domain.EntryFilter) ([]domain.Entry, string, error) {
	return w.entries, "next", w.told(f)
}
func (w *world) Entry(_ context.Context, _, id string) (*domain.Entry, error) {
	return w.entryShelf().get(id)
}
func (w *world) CreateEntries(_ context.Context, _, tool string, in []domain.NewEntry) ([]domain.Entry, int64, error) {
	if _, err := w.toolShelf().get(tool); err != nil {
		return nil, 0, err
	}
	var entries []domain.Entry
	for i := range in {
		if string(in[i].Data) == `{"value":"much"}` {
			return nil, 0, domain.Invalid("/entries/0/data/value", "type", "This must be a number.")
		}
		entry := domain.Entry{ToolID: tool, Timestamp: worldTime, Data: in[i].Data}
		if in[i].Timestamp != "" {
			var err error
			if entry.Timestamp, err = time.Parse(time.RFC3339Nano, in[i].Timestamp); err != nil {
				return nil, 0, err
			}
		}
		made, _, err := w.entryShelf().create("ent", entry)
		if err != nil {
			return nil, 0, err
		}
		entries = append(entries, *made)
	}
	return entries, 8, nil
}
func (w *world) UpdateEntry(_ context.Context, _, id string, v int64, p domain.EntryPatch) (*domain.Entry, int64, error) {
	return w.entryShelf().change(id, v, func(e *domain.Entry) error {
		e.SessionID = "" // a client wrote it last
		return data.PatchEntry(&data.Env{Settings: domain.DefaultSettings()}, e, p)
	})
}
func (w *world) DeleteEntry(_ context.Context, _, id string, v int64) (int64, error) {
	return w.entryShelf().remove(id, v)
}
func (w *world) ExportEntries(_ context.Context, _ string, f domain.EntryFilter, out io.Writer) error {
	if _, err := w.toolShelf().get(f.ToolID); err != nil {
		return err
	}
	if _, err := io.WriteString(out, "id,timestamp,value\n"); err != nil || f.From.Year() == 1999 {
		return errors.Join(err, errors.New("the database is gone"))
	}
	return w.told(f)
}
func (w *world) ImportEntries(_ context.Context, _, tool string, file io.Reader, dryRun bool) (*domain.ImportResult, int64, error) {
	if _, err := w.toolShelf().get(tool); err != nil {
		return nil, 0, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, 0, err
	}
	return &domain.ImportResult{DryRun: dryRun, Count: strings.Count(string(text), "\n"), First: &worldTime, Last: &worldTime}, 8, w.told(string(text))
}
func (w *world) EntryStats(_ context.Context, _ string, q domain.StatsQuery) ([]domain.Stats, error) {
	if _, err := w.toolShelf().get(q.ToolID); err != nil {
		return nil, err
	}
	mean := 8.0
	return []domain.Stats{{Count: 1, Mean: &mean}, {Bucket: "2026-03-02", Count: 0}}, w.told(q)
}

func (w *world) docShelf() shelf[domain.Document] {
	return shelf[domain.Document]{w, "document", &w.docs, func(d *domain.Document) *string { return &d.ID }, func(d *domain.Document) *int64 { return &d.Version }}
}

func (w *world) Documents(_ context.Context, _, cursor string, limit int) ([]domain.Document, string, error) {
	return pageAt(w.docs, cursor, limit)
}
func (w *world) DocumentVersions(_ context.Context, _, id, _ string, _ int) ([]domain.DocumentVersion, string, error) {
	_, err := w.docShelf().get(id)
	return []domain.DocumentVersion{{Version: 2, Title: "About", PublishedAt: worldTime}}, "", err
}
func (w *world) DocumentVersion(_ context.Context, _, id string, version int64) (*domain.DocumentVersion, error) {
	_, err := w.docShelf().get(id)
	return &domain.DocumentVersion{Version: version, Title: "About", Body: "I run.", PublishedAt: worldTime}, err
}
func (w *world) Document(_ context.Context, _, id string) (*domain.Document, error) {
	return w.docShelf().get(id)
}
func (w *world) CreateDocument(_ context.Context, _ string, in domain.NewDocument) (*domain.Document, int64, error) {
	return w.docShelf().create("doc", domain.Document{Key: in.Key, Title: in.Title, Body: in.Body})
}
func (w *world) UpdateDocument(_ context.Context, _, id string, v int64, p domain.DocumentPatch) (*domain.Document, int64, error) {
	return w.docShelf().change(id, v, func(d *domain.Document) error { p.Apply(d); return nil })
}
func (w *world) DeleteDocument(_ context.Context, _, id string, v int64) (int64, error) {
	return w.docShelf().remove(id, v)
}
func (w *world) PublishDocument(_ context.Context, _, id string, v int64) (*domain.Document, int64, error) {
	return w.docShelf().change(id, v, func(d *domain.Document) error {
		d.Published, d.PublishedAt = d.Body, &worldTime
		return nil
	})
}

func (w *world) Search(_ context.Context, _ string, q domain.SearchQuery) ([]domain.SearchHit, string, error) {
	if q.Text == "*" {
		return nil, "", domain.Invalid("/query", "required", "A search needs a word, of letters or digits.")
	}
	return []domain.SearchHit{
		{Kind: domain.SearchNotes, ID: "ent_1", ToolID: "tol_1", ToolName: "Recipes", ZoneID: "zon_1", ZoneName: "Life", Title: "Crème", Timestamp: worldTime,
			Snippet: "Six yolks", Marks: []domain.SearchMark{{Start: 4, End: 9}}, Matches: []string{"yolks"}},
		{Kind: domain.SearchDocuments, ID: "doc_1", Key: "about", Title: "About", Draft: true, Timestamp: worldTime, Snippet: "…"},
	}, "next", w.told(q)
}

func (w *world) provider(id string) (*domain.Provider, error) {
	if i := find(w.provs, func(p *domain.Provider) bool { return p.ID == id }); i >= 0 {
		return w.provs[i], nil
	}
	return nil, domain.NotFound("provider")
}

func (w *world) Providers(context.Context, string) ([]*domain.Provider, error) { return w.provs, nil }
func (w *world) Provider(_ context.Context, _, id string) (*domain.Provider, error) {
	return w.provider(id)
}
func (w *world) CreateProvider(_ context.Context, _ string, in domain.NewProvider) (*domain.Provider, error) {
	return &domain.Provider{ID: "prv_2", Name: in.Name, Kind: in.Kind, Config: json.RawMessage(`{}`), Version: 1, CreatedAt: worldTime, UpdatedAt: worldTime}, w.told(in)
}
func (w *world) UpdateProvider(_ context.Context, _, id string, v int64, patch domain.ProviderPatch) (*domain.Provider, error) {
	p, err := w.provider(id)
	if err == nil && v != 0 && v != p.Version {
		err = domain.Errorf(CodePreconditionFailed, "It changed.")
	}
	if err != nil {
		return nil, err
	}
	return p, w.told(patch)
}
func (w *world) DeleteProvider(_ context.Context, _, id string, _ int64) error {
	_, err := w.provider(id)
	return err
}

func (w *world) UpdateSettings(_ context.Context, id string, patch domain.SettingsPatch) (*domain.Workspace, error) {
	ws, err := w.Workspace(context.Background(), id)
	if err != nil {
		return nil, err
	}
	return ws, patch.Apply(&ws.Settings)
}

func (w *world) Keys(context.Context, string) ([]*domain.Key, error) { return w.keys, nil }
func (w *world) CreateKey(_ context.Context, _ string, in NewKey) (*MintedKey, error) {
	key := &domain.Key{ID: "key_2", Name: in.Name, Role: in.Role, ExpiresAt: in.ExpiresAt, Prefix: "fmt_cd", CreatedAt: worldTime}
	return &MintedKey{Key: key, Text: "fmt_cdef", Closed: in.Name == "first"}, w.told(in)
}
func (w *world) RevokeKey(_ context.Context, _, id string) error {
	if id != "key_1" {
		return domain.NotFound("key")
	}
	return nil
}

func (w *world) Workspaces(context.Context) ([]*domain.Workspace, error) { return w.spaces, nil }
func (w *world) Workspace(_ context.Context, id string) (*domain.Workspace, error) {
	if i := find(w.spaces, func(s *domain.Workspace) bool { return s.ID == id }); i >= 0 {
		return w.spaces[i], nil
	}
	return nil, domain.NotFound("workspace")
}
func (w *world) CreateWorkspace(_ context.Context, ws *domain.Workspace) error {
	if _, err := w.Workspace(context.Background(), ws.ID); err == nil {
		return domain.Errorf(domain.CodeConflict, "There is a workspace %q already.", ws.ID)
	}
	w.spaces = append(w.spaces, ws)
	return nil
}
