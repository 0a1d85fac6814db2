package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/repository/suite"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// stored is the user's data in a transaction that ends with the test.
type stored struct {
	*repository.Data
	// before, if set, runs before every read of a tool: faults and delays.
	before func(ctx context.Context, id string) error
}

func (s *stored) Tool(ctx context.Context, id string) (*userdata.Tool, error) {
	if s.before != nil {
		if err := s.before(ctx, id); err != nil {
			return nil, err
		}
	}
	return s.Data.Tool(ctx, id)
}

// world is a workspace with some data, and all that a test needs to work in it.
type world struct {
	t    *testing.T
	c    *Catalogue
	data *stored
	env  Env
	call int
}

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC) // a Wednesday

// newWorld has the zone zon_h (Health) with the tools tol_w (Weight, tracking, 30 to
// 200) and tol_j (Diary, journal), the guarded zone zon_g with the checklist tol_g,
// two weights and the published document "about".
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, c: New(data.NewRules(), automations.Drafts{}), data: &stored{Data: suite.InTransaction(t, suite.SQLite(t))}}
	w.env = Env{Env: data.Env{
		WorkspaceID: domain.DefaultWorkspace, SessionID: "ses_1", Settings: domain.DefaultSettings(), Now: noon, NewID: newIDs(),
	}, SessionType: domain.Chat, Approving: domain.Approving{Type: domain.Chat}, Role: domain.RoleAdmin,
		Uses: definitions.Uses{Zones: true, Documents: true, Added: []string{createAutomation}}}
	w.put(&userdata.Zone{ID: "zon_h", ZoneFields: userdata.ZoneFields{Name: "Health"}})
	w.put(&userdata.Zone{ID: "zon_g", ZoneFields: userdata.ZoneFields{Name: "Guarded", RequireValidation: true}, Version: 4})
	w.put(&userdata.Tool{
		ID:         "tol_w",
		ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "tracking", Name: "Weight", Config: json.RawMessage(`{"max":200,"min":30,"unit":"kg"}`)},
	})
	w.put(&userdata.Tool{ID: "tol_j", ToolFields: userdata.ToolFields{ZoneID: "zon_h", ToolType: "journal", Name: "Diary", Config: json.RawMessage(`{}`)}})
	w.put(&userdata.Tool{ID: "tol_g", ToolFields: userdata.ToolFields{ZoneID: "zon_g", ToolType: "checklist", Name: "Chores", Config: json.RawMessage(`{}`)}, Version: 7})
	for i, kg := range []string{"72.5", "71.9"} {
		id := fmt.Sprintf("ent_%d", i+1)
		w.put(&userdata.Entry{ID: id, ToolID: "tol_w", Timestamp: noon.AddDate(0, 0, i-2), Data: json.RawMessage(`{"value":` + kg + `}`)})
	}
	w.put(&userdata.Document{ID: "doc_1", Key: "about", DocumentFields: userdata.DocumentFields{Title: "About me", Body: "I run."}, Published: "I run.", PublishedAt: &noon, Version: 2})
	return w
}

// in makes the session one of this type; an agent works for a chat.
func (w *world) in(t domain.SessionType) {
	w.env.SessionType, w.env.Approving = t, domain.Approving{Type: t, Unattended: t == domain.Run, Policy: domain.PolicyPark}
}

// newIDs counts; the entries it names are none of those that are there.
func newIDs() domain.IDSource {
	count := repeatable.IDs()
	return func(prefix string) string {
		if prefix == domain.PrefixEntry {
			prefix += "_new"
		}
		return count(prefix)
	}
}

// put stores something, with the version that it says; what is there already is changed.
func (w *world) put(thing any) {
	w.t.Helper()
	ctx, d := w.t.Context(), w.data.Data
	var err error
	switch v := thing.(type) {
	case *userdata.Zone:
		v.CreatedAt, v.UpdatedAt = noon, noon
		_, there := w.zones()[v.ID]
		err = put(&v.Version, there, func() error { return d.InsertZone(ctx, v) }, func() error { return d.UpdateZone(ctx, v) })
	case *userdata.Tool:
		v.CreatedAt, v.UpdatedAt = noon, noon
		_, there := w.tools()[v.ID]
		err = put(&v.Version, there, func() error { return d.InsertTool(ctx, v) }, func() error { return d.UpdateTool(ctx, v) })
	case *userdata.Entry:
		v.Version, v.CreatedAt, v.UpdatedAt = 1, noon, noon
		err = d.InsertEntries(ctx, []userdata.Entry{*v})
	case *userdata.Document:
		v.CreatedAt, v.UpdatedAt = noon, noon
		_, there := w.docs()[v.Key]
		write := func() error { return d.PutDocument(ctx, v) }
		err = put(&v.Version, there, func() error { v.Version = 0; return write() }, write)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// drop deletes a tool.
func (w *world) drop(id string) {
	w.t.Helper()
	if err := w.data.DeleteTool(w.t.Context(), id, noon); err != nil {
		w.t.Fatal(err)
	}
}

// put inserts or updates, until the wanted version is there.
func put(version *int64, there bool, insert, update func() error) error {
	if there {
		return update()
	}
	want := *version
	err := insert()
	for err == nil && *version < want {
		err = update()
	}
	return err
}

// byID reads what is stored.
func byID[T any](w *world, id func(*T) string, all []T, err error) map[string]T {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	found := map[string]T{}
	for i := range all {
		found[id(&all[i])] = all[i]
	}
	return found
}

func (w *world) zones() map[string]userdata.Zone {
	all, err := w.data.Zones(w.t.Context())
	return byID(w, func(z *userdata.Zone) string { return z.ID }, all, err)
}

func (w *world) tools() map[string]userdata.Tool {
	all, err := w.data.Tools(w.t.Context(), "")
	return byID(w, func(t *userdata.Tool) string { return t.ID }, all, err)
}

func (w *world) types() map[string]userdata.ToolType {
	all, err := w.data.ToolTypes(w.t.Context())
	return byID(w, func(t *userdata.ToolType) string { return t.ID }, all, err)
}

func (w *world) entries() map[string]userdata.Entry {
	found := map[string]userdata.Entry{}
	for id := range w.tools() {
		all, _, err := w.data.Entries(w.t.Context(), userdata.EntryFilter{ToolID: id, Limit: 10_000})
		maps.Copy(found, byID(w, func(e *userdata.Entry) string { return e.ID }, all, err))
	}
	return found
}

func (w *world) docs() map[string]userdata.Document {
	all, err := w.data.Documents(w.t.Context())
	return byID(w, func(d *userdata.Document) string { return d.Key }, all, err)
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
		entry := w.c.entry(&w.env, c.Type)
		switch {
		case c.Type == domain.AskUser:
			var m struct {
				Type string          `json:"type"`
				Data json.RawMessage `json:"data"`
			}
			if err := json.Unmarshal(c.Params, &m); err != nil {
				w.t.Fatal(err)
			}
			answer.Module = &domain.Module{Type: m.Type, Data: m.Data}
		case c.Type == domain.Complete:
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
	w.c.RunQueries(w.t.Context(), w.data, nil, w.env, plan.Commands.Queries)
	return plan.Commands.Queries[0]
}

// act runs planned actions.
func (w *world) act(actions []*domain.Execution) ActionOutcome {
	w.t.Helper()
	outcome, err := w.c.RunActions(w.t.Context(), w.data, w.env, actions, w.data.Savepoint)
	if err != nil {
		w.t.Fatal(err)
	}
	return outcome
}

// do plans and runs one action as if no approval were required.
func (w *world) do(name, params string) (*domain.Execution, ActionOutcome) {
	w.t.Helper()
	plan := w.plan(w.command(name, params))
	if plan.Problem != "" || len(plan.Commands.Actions) != 1 {
		w.t.Fatalf("%s %s: %q, %d actions", name, params, plan.Problem, len(plan.Commands.Actions))
	}
	return plan.Commands.Actions[0], w.act(plan.Commands.Actions)
}
