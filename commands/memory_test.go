package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
)

// memory is the user's data of one workspace, in maps. It keeps the contract of Data:
// soft deletion, versions, domain errors.
type memory struct {
	mu      sync.Mutex
	zones   map[string]domain.Zone
	tools   map[string]domain.Tool
	types   map[string]domain.ToolType
	entries map[string]domain.Entry
	docs    map[string]domain.Document
	// before, if set, runs before every read of a tool: faults and delays.
	before func(ctx context.Context, id string) error
}

func newMemory() *memory {
	return &memory{zones: map[string]domain.Zone{}, tools: map[string]domain.Tool{}, types: map[string]domain.ToolType{},
		entries: map[string]domain.Entry{}, docs: map[string]domain.Document{}}
}

func (m *memory) lock() func() { m.mu.Lock(); return m.mu.Unlock }

func (m *memory) Zones(context.Context) ([]domain.Zone, error) {
	defer m.lock()()
	return slices.SortedFunc(maps.Values(m.zones), func(a, b domain.Zone) int { return strings.Compare(a.Name, b.Name) }), nil
}

func (m *memory) Zone(_ context.Context, id string) (*domain.Zone, error) {
	defer m.lock()()
	return get(m.zones, id, "zone")
}

func get[V any](all map[string]V, id, noun string) (*V, error) {
	v, ok := all[id]
	if !ok {
		return nil, domain.NotFound(noun)
	}
	return &v, nil
}

func (m *memory) InsertZone(_ context.Context, z *domain.Zone) error {
	defer m.lock()()
	m.zones[z.ID] = *z
	return nil
}

func (m *memory) UpdateZone(_ context.Context, z *domain.Zone) error {
	defer m.lock()()
	if m.zones[z.ID].Version != z.Version {
		return domain.ErrStale
	}
	z.Version++
	m.zones[z.ID] = *z
	return nil
}

func (m *memory) DeleteZone(_ context.Context, id string, _ time.Time) error {
	defer m.lock()()
	delete(m.zones, id)
	for _, t := range m.tools {
		if t.ZoneID == id {
			m.dropTool(t.ID)
		}
	}
	return nil
}

// RestoreZone and its like: memory forgets what is deleted.
func (m *memory) RestoreZone(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := m.Zone(ctx, id)
	return false, err
}

func (m *memory) RestoreTool(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := m.Tool(ctx, id)
	return false, err
}

func (m *memory) RestoreEntry(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := m.Entry(ctx, id)
	return false, err
}

func (m *memory) RestoreDocument(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := m.DocumentByID(ctx, id)
	return false, err
}

func (m *memory) dropTool(id string) {
	delete(m.tools, id)
	maps.DeleteFunc(m.entries, func(_ string, e domain.Entry) bool { return e.ToolID == id })
}

func (m *memory) Tools(_ context.Context, zoneID string) ([]domain.Tool, error) {
	defer m.lock()()
	all := slices.SortedFunc(maps.Values(m.tools), func(a, b domain.Tool) int { return strings.Compare(a.ID, b.ID) })
	return slices.DeleteFunc(all, func(t domain.Tool) bool { return zoneID != "" && t.ZoneID != zoneID }), nil
}

func (m *memory) Tool(ctx context.Context, id string) (*domain.Tool, error) {
	if m.before != nil {
		if err := m.before(ctx, id); err != nil {
			return nil, err
		}
	}
	defer m.lock()()
	return get(m.tools, id, "tool")
}

func (m *memory) InsertTool(_ context.Context, t *domain.Tool) error {
	defer m.lock()()
	m.tools[t.ID] = *t
	return nil
}

func (m *memory) UpdateTool(_ context.Context, t *domain.Tool) error {
	defer m.lock()()
	if m.tools[t.ID].Version != t.Version {
		return domain.ErrStale
	}
	t.Version++
	m.tools[t.ID] = *t
	return nil
}

func (m *memory) DeleteTool(_ context.Context, id string, _ time.Time) error {
	defer m.lock()()
	m.dropTool(id)
	return nil
}

func (m *memory) ToolTypes(context.Context) ([]domain.ToolType, error) {
	defer m.lock()()
	return slices.SortedFunc(maps.Values(m.types), func(a, b domain.ToolType) int { return strings.Compare(a.ID, b.ID) }), nil
}

func (m *memory) InsertToolType(_ context.Context, t *domain.ToolType) error {
	defer m.lock()()
	m.types[t.ID] = *t
	return nil
}

func (m *memory) UpdateToolType(_ context.Context, t *domain.ToolType) error {
	defer m.lock()()
	if m.types[t.ID].Version != t.Version {
		return domain.ErrStale
	}
	t.Version++
	m.types[t.ID] = *t
	return nil
}

func (m *memory) DeleteToolType(_ context.Context, id string) error {
	defer m.lock()()
	delete(m.types, id)
	return nil
}

// Entries pages by the number of entries to skip.
func (m *memory) Entries(_ context.Context, f domain.EntryFilter) ([]domain.Entry, string, error) {
	defer m.lock()()
	var all []domain.Entry
	for _, e := range m.entries {
		if e.ToolID == f.ToolID && !e.Timestamp.Before(f.From) && (f.Until.IsZero() || e.Timestamp.Before(f.Until)) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b domain.Entry) int {
		if c := a.Timestamp.Compare(b.Timestamp); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	if f.Descending {
		slices.Reverse(all)
	}
	skip := 0
	if f.Cursor != "" {
		var err error
		if skip, err = strconv.Atoi(f.Cursor); err != nil || skip > len(all) {
			return nil, "", domain.Invalid("/cursor", "cursor", "The cursor is not one of this list.")
		}
	}
	page := all[skip:min(len(all), skip+f.Limit)]
	if skip+len(page) == len(all) {
		return page, "", nil
	}
	return page, strconv.Itoa(skip + len(page)), nil
}

func (m *memory) Entry(_ context.Context, id string) (*domain.Entry, error) {
	defer m.lock()()
	return get(m.entries, id, "entry")
}

func (m *memory) InsertEntries(_ context.Context, entries []domain.Entry) error {
	defer m.lock()()
	for _, e := range entries {
		m.entries[e.ID] = e
	}
	return nil
}

func (m *memory) UpdateEntry(_ context.Context, e *domain.Entry) error {
	defer m.lock()()
	if m.entries[e.ID].Version != e.Version {
		return domain.ErrStale
	}
	e.Version++
	m.entries[e.ID] = *e
	return nil
}

func (m *memory) DeleteEntries(_ context.Context, ids []string, _ time.Time) error {
	defer m.lock()()
	for _, id := range ids {
		delete(m.entries, id)
	}
	return nil
}

func (m *memory) CountEntries(_ context.Context, toolID string) (int64, error) {
	defer m.lock()()
	var n int64
	for _, e := range m.entries {
		if e.ToolID == toolID {
			n++
		}
	}
	return n, nil
}

func (m *memory) Stats(ctx context.Context, toolID, field string, from, until time.Time) (domain.Stats, error) {
	entries, _, err := m.Entries(ctx, domain.EntryFilter{ToolID: toolID, From: from, Until: until, Limit: 1 << 30})
	if err != nil {
		return domain.Stats{}, err
	}
	var s domain.Stats
	var sum float64
	for _, e := range entries {
		var fields map[string]any
		if err := json.Unmarshal(e.Data, &fields); err != nil {
			return s, err
		}
		v, ok := fields[field].(float64)
		if !ok {
			continue
		}
		s.Count++
		sum += v
		if s.Min == nil || v < *s.Min {
			s.Min = &v
		}
		if s.Max == nil || v > *s.Max {
			s.Max = &v
		}
		s.Last = &v
	}
	if s.Count > 0 {
		s.Sum, s.Mean = &sum, new(sum/float64(s.Count))
	}
	return s, nil
}

func (m *memory) Documents(context.Context) ([]domain.Document, error) {
	defer m.lock()()
	return slices.SortedFunc(maps.Values(m.docs), func(a, b domain.Document) int { return strings.Compare(a.Key, b.Key) }), nil
}

func (m *memory) Document(_ context.Context, key string) (*domain.Document, error) {
	defer m.lock()()
	return get(m.docs, key, "document")
}

func (m *memory) DocumentByID(_ context.Context, id string) (*domain.Document, error) {
	defer m.lock()()
	for _, d := range m.docs {
		if d.ID == id {
			return &d, nil
		}
	}
	return nil, domain.NotFound("document")
}

func (m *memory) KeepDocumentVersion(context.Context, *domain.Document) error { return nil }

func (m *memory) PutDocument(_ context.Context, d *domain.Document) error {
	defer m.lock()()
	if m.docs[d.Key].Version != d.Version {
		return domain.ErrStale
	}
	d.Version++
	m.docs[d.Key] = *d
	return nil
}

// Search finds what holds the text, in no order of rank; a cursor says that there is
// more than the limit.
func (m *memory) Search(_ context.Context, q domain.SearchQuery) ([]domain.SearchHit, string, error) {
	defer m.lock()()
	if strings.Trim(q.Text, `"-*() `) == "" {
		return nil, "", domain.Invalid("/query", "required", "A search needs a word, of letters or digits.")
	}
	var hits []domain.SearchHit
	for _, e := range m.entries {
		tool := m.tools[e.ToolID]
		if strings.Contains(string(e.Data), q.Text) {
			hits = append(hits, domain.SearchHit{Kind: domain.SearchEntries, ID: e.ID, ToolID: tool.ID, ToolName: tool.Name, ZoneID: tool.ZoneID,
				ZoneName: m.zones[tool.ZoneID].Name, Timestamp: e.Timestamp, Snippet: string(e.Data), Matches: []string{q.Text}})
		}
	}
	for _, d := range m.docs {
		body := d.Body
		if q.Published {
			body = d.Published
		}
		if strings.Contains(body, q.Text) {
			hits = append(hits, domain.SearchHit{Kind: domain.SearchDocuments, ID: d.ID, Key: d.Key, Title: d.Title, Timestamp: noon, Snippet: body, Matches: []string{q.Text}})
		}
	}
	slices.SortFunc(hits, func(a, b domain.SearchHit) int { return strings.Compare(a.ID, b.ID) })
	if len(hits) > q.Limit {
		return hits[:q.Limit], "more", nil
	}
	return hits, "", nil
}

// savepoint rolls the maps back when the function fails.
func (m *memory) savepoint(_ context.Context, run func() error) error {
	m.mu.Lock()
	before := newMemory()
	before.zones, before.tools, before.types = maps.Clone(m.zones), maps.Clone(m.tools), maps.Clone(m.types)
	before.entries, before.docs = maps.Clone(m.entries), maps.Clone(m.docs)
	m.mu.Unlock()
	err := run()
	if err != nil {
		defer m.lock()()
		m.zones, m.tools, m.types, m.entries, m.docs = before.zones, before.tools, before.types, before.entries, before.docs
	}
	return err
}

// world is a workspace with some data, and all that a test needs to work in it.
type world struct {
	t    *testing.T
	c    *Catalogue
	data *memory
	env  Env
	call int
}

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC) // a Wednesday

// newWorld has the zone zon_h (Health) with the tools tol_w (Weight, tracking, 30 to
// 200) and tol_j (Diary, journal), the guarded zone zon_g with the checklist tol_g,
// two weights and the published document "about".
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, c: New(), data: newMemory()}
	settings := domain.DefaultSettings()
	w.env = Env{WorkspaceID: "default", SessionID: "ses_1", SessionType: domain.Chat, Role: domain.RoleAdmin, Settings: settings,
		Now: noon, NewID: ids.Counting()}
	d := w.data
	d.zones["zon_h"] = domain.Zone{ID: "zon_h", Name: "Health", Version: 1}
	d.zones["zon_g"] = domain.Zone{ID: "zon_g", Name: "Guarded", RequireValidation: true, Version: 4}
	d.tools["tol_w"] = domain.Tool{ID: "tol_w", ZoneID: "zon_h", ToolType: "tracking", Name: "Weight", Config: json.RawMessage(`{"max":200,"min":30,"unit":"kg"}`), Version: 1}
	d.tools["tol_j"] = domain.Tool{ID: "tol_j", ZoneID: "zon_h", ToolType: "journal", Name: "Diary", Config: json.RawMessage(`{}`), Version: 1}
	d.tools["tol_g"] = domain.Tool{ID: "tol_g", ZoneID: "zon_g", ToolType: "checklist", Name: "Chores", Config: json.RawMessage(`{}`), Version: 7}
	for i, kg := range []string{"72.5", "71.9"} {
		id := fmt.Sprintf("ent_%d", i+1)
		d.entries[id] = domain.Entry{ID: id, ToolID: "tol_w", Timestamp: noon.AddDate(0, 0, i-2), Data: json.RawMessage(`{"value":` + kg + `}`), Version: 1}
	}
	d.docs["about"] = domain.Document{ID: "doc_1", Key: "about", Title: "About me", Body: "I run.", Published: "I run.", PublishedAt: &noon, Version: 2}
	return w
}

// command is a call as the parser gives it.
func (w *world) command(name, params string) domain.Command {
	w.call++
	return domain.Command{Type: name, Params: json.RawMessage(params), CallID: fmt.Sprintf("call_%d", w.call)}
}

// answerOf sorts commands into an answer by their kind, with the raw calls.
func (w *world) answerOf(commands ...domain.Command) (*domain.RawAnswer, *domain.AIMessage) {
	raw, answer := &domain.RawAnswer{Protocol: domain.ProtocolNative}, &domain.AIMessage{}
	for _, c := range commands {
		raw.Calls = append(raw.Calls, domain.RawCall{ID: c.CallID, Name: c.Type, Arguments: string(c.Params)})
		entry := w.c.commands[c.Type]
		switch {
		case c.Type == AskUser:
			var m struct {
				Type string          `json:"type"`
				Data json.RawMessage `json:"data"`
			}
			if err := json.Unmarshal(c.Params, &m); err != nil {
				w.t.Fatal(err)
			}
			answer.Module = &domain.Module{Type: m.Type, Data: m.Data}
		case c.Type == Complete:
			answer.Completed = true
		case entry != nil && entry.spec.Kind == domain.KindQuery:
			answer.DataCommands = append(answer.DataCommands, c)
		default:
			answer.ActionCommands = append(answer.ActionCommands, c)
		}
	}
	return raw, answer
}

func (w *world) plan(commands ...domain.Command) Plan {
	w.t.Helper()
	raw, answer := w.answerOf(commands...)
	plan, err := w.c.Plan(w.t.Context(), w.data, w.env, "msg_1", raw, answer, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return plan
}

// query plans and runs one query.
func (w *world) query(name, params string) *domain.Execution {
	w.t.Helper()
	plan := w.plan(w.command(name, params))
	if plan.Problem != "" || len(plan.Commands.Queries) != 1 {
		w.t.Fatalf("%s %s: %q, %d queries", name, params, plan.Problem, len(plan.Commands.Queries))
	}
	w.c.RunQueries(w.t.Context(), w.data, w.env, plan.Commands.Queries)
	return plan.Commands.Queries[0]
}

// act runs planned actions.
func (w *world) act(actions []*domain.Execution) ActionOutcome {
	w.t.Helper()
	outcome, err := w.c.RunActions(w.t.Context(), w.data, w.env, actions, w.data.savepoint)
	if err != nil {
		w.t.Fatal(err)
	}
	return outcome
}

// do plans and runs one action, as if nobody had to be asked.
func (w *world) do(name, params string) (*domain.Execution, ActionOutcome) {
	w.t.Helper()
	plan := w.plan(w.command(name, params))
	if plan.Problem != "" || len(plan.Commands.Actions) != 1 {
		w.t.Fatalf("%s %s: %q, %d actions", name, params, plan.Problem, len(plan.Commands.Actions))
	}
	return plan.Commands.Actions[0], w.act(plan.Commands.Actions)
}
