package automations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/scheduler"
)

// failing is a world of which a part is away.
type failing struct {
	*world
	automations, session, log, entries, conditions, due error
}

func (f *failing) Automation(ctx context.Context, ws, id string) (*automation.Automation, error) {
	a, err := f.world.Automation(ctx, ws, id)
	return a, errors.Join(err, f.automations)
}

func (f *failing) Session(ctx context.Context, ws, id string) (*domain.Session, error) {
	if f.session != nil {
		return nil, f.session
	}
	return f.world.Session(ctx, ws, id)
}

func (f *failing) Events(ctx context.Context, ws, s string, after int64, size domain.PageSize) ([]*domain.LogEvent, bool, error) {
	events, more, err := f.world.Events(ctx, ws, s, after, size)
	return events, more, errors.Join(err, f.log)
}

func (f *failing) EntriesMadeAt(ctx context.Context, ws, tool string, at time.Time, limit int) ([]*userdata.Entry, error) {
	entries, err := f.world.EntriesMadeAt(ctx, ws, tool, at, limit)
	return entries, errors.Join(err, f.entries)
}

func (f *failing) Holds(schema, value json.RawMessage) (bool, error) {
	holds, err := f.world.Holds(schema, value)
	return holds, errors.Join(err, f.conditions)
}

func (f *failing) DueOccurrences(ctx context.Context, ws string) ([]domain.AutomationRef, error) {
	refs, err := f.world.DueOccurrences(ctx, ws)
	return refs, errors.Join(err, f.due)
}

// What could not be looked at is looked at again: no run begins, and the mark stays.
func TestALookThatFails(t *testing.T) {
	away := errors.New("the database is away")
	for name, breaks := range map[string]func(*failing, *Config){
		"the automation": func(f *failing, _ *Config) { f.automations = away },
		"the log":        func(f *failing, _ *Config) { f.log = away },
		"who made them":  func(f *failing, _ *Config) { f.session = away },
		"the entries":    func(f *failing, _ *Config) { f.entries = away },
		"the condition":  func(f *failing, _ *Config) { f.conditions = away },
		"the door":       func(f *failing, _ *Config) { f.slot = away },
	} {
		w, cfg := newWorld(t, hourly(watching("")))
		w.events, w.made = []*domain.LogEvent{made(5, "tool", "run of none")}, []*userdata.Entry{entry("red")}
		f := &failing{world: w}
		cfg.Store, cfg.Events, cfg.Conditions = f, f, f
		breaks(f, &cfg)
		err := NewRuns(cfg).StartByEntries(t.Context(), "ws")
		if !errors.Is(err, away) || len(w.plans) != 0 || w.view.Automation.SeenSeq != 0 {
			t.Errorf("%s: %v, %d plans, seen up to %d", name, err, len(w.plans), w.view.Automation.SeenSeq)
		}
		*f = failing{world: w}
		w.slot = nil
		if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil || w.begun() != 1 || w.view.Automation.SeenSeq != 5 {
			t.Errorf("%s, and again: %v, %d runs, seen up to %d", name, err, w.begun(), w.view.Automation.SeenSeq)
		}
	}
}

// paged gives the log in pages of two.
type paged struct {
	*world
	pages int
}

func (p *paged) Events(ctx context.Context, ws, s string, after int64, size domain.PageSize) ([]*domain.LogEvent, bool, error) {
	p.pages++
	events, _, err := p.world.Events(ctx, ws, s, after, size)
	if len(events) > 2 {
		return events[:2], true, err
	}
	return events, false, err
}

// A long log is read page by page, to its end.
func TestALongLogIsReadToItsEnd(t *testing.T) {
	w, cfg := newWorld(t, hourly(watching("")))
	for seq := range int64(5) {
		w.events = append(w.events, &domain.LogEvent{Seq: seq + 1, Type: domain.LogNotice})
	}
	w.events = append(w.events, made(6, "tool", ""))
	w.made = []*userdata.Entry{entry("red")}
	p := &paged{world: w}
	cfg.Events = p
	if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil || w.begun() != 1 || p.pages != 3 || w.view.Automation.SeenSeq != 6 {
		t.Errorf("%v, %d runs of %d pages, seen up to %d", err, w.begun(), p.pages, w.view.Automation.SeenSeq)
	}
}

// TestEntriesOf covers which events announce new entries.
func TestEntriesOf(t *testing.T) {
	logged := func(c domain.DataChange) *domain.LogEvent {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return &domain.LogEvent{Type: domain.LogDataChanged, Data: data}
	}
	for name, c := range map[string]struct {
		event *domain.LogEvent
		want  bool
	}{
		"entries were made":        {logged(domain.DataChange{Noun: "entry", Operation: "created", ToolID: "tool", MadeAt: &noon}), true},
		"an entry was changed":     {logged(domain.DataChange{Noun: "entry", Operation: "updated", ToolID: "tool", MadeAt: &noon}), false},
		"a zone was made":          {logged(domain.DataChange{Noun: "zone", Operation: "created", MadeAt: &noon}), false},
		"nothing says when":        {logged(domain.DataChange{Noun: "entry", Operation: "created", ToolID: "tool"}), false},
		"another kind of event":    {&domain.LogEvent{Type: domain.LogNotice, Data: made(1, "tool", "").Data}, false},
		"what cannot be read":      {&domain.LogEvent{Type: domain.LogDataChanged, Data: json.RawMessage(`{`)}, false},
		"an event with no content": {&domain.LogEvent{Type: domain.LogDataChanged}, false},
	} {
		if got := entriesOf(c.event); (got != nil) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestWhyAnEntryStartedNothing covers the recipients and the language of the reason why an entry started no run.
func TestWhyAnEntryStartedNothing(t *testing.T) {
	french := func(v *automation.View) { v.Workspace.Settings.Language = "fr" }
	full := domain.Errorf(domain.CodeQueueFull, "The queue is full.")
	for name, c := range map[string]struct {
		view *automation.View
		slot error
		want string
	}{
		"the queue is full": {hourly(watching("")), full, `A new entry did not start the automation "Hourly": The queue is full.`},
		"in French": {
			hourly(watching(""), french), full, `Une nouvelle entrée n’a pas lancé l’automatisation "Hourly" : The queue is full.`,
		},
		"a name that reverses the line": {hourly(watching(""), func(v *automation.View) { v.Automation.Name = "a\u202eb" }), full, ""},
	} {
		w, cfg := newWorld(t, c.view)
		w.events, w.made, w.slot = []*domain.LogEvent{made(5, "tool", "")}, []*userdata.Entry{entry("red")}, c.slot
		if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil {
			t.Fatal(err)
		}
		notice := w.plans[0].Change.Events[0].Notice
		if notice.Level != "warning" || notice.Code != "automation_not_started" || c.want != "" && notice.Text != c.want ||
			strings.Contains(notice.Text, "\u202e") {
			t.Errorf("%s: %+v", name, notice)
		}
	}
	if got := message(errors.New("sql: secret")); got != "the server failed." {
		t.Errorf("of an inner error people read %q", got)
	}
	if got := message(fmt.Errorf("deliver: %w", full)); got != "The queue is full." {
		t.Errorf("of a refusal people read %q", got)
	}
}

// A mark never goes back, and an entry that another node has looked at starts nothing.
func TestAnotherNodeHasLooked(t *testing.T) {
	w, cfg := newWorld(t, hourly(watching(""), func(v *automation.View) { v.Automation.SeenSeq = 9 }))
	w.made = []*userdata.Entry{entry("red")}
	r := NewRuns(cfg)
	old := *w.view.Automation
	old.SeenSeq = 4 // as it was read before
	for name, look := range map[string]func() error{
		"the mark":    func() error { return r.seen(t.Context(), &old, 5) },
		"the entry":   func() error { return r.lookAtEvent(t.Context(), &old, made(5, "tool", "")) },
		"the refusal": func() error { return r.unstarted(t.Context(), &old, 5, errors.New("full")) },
	} {
		if err := look(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, p := range w.plans {
		if p.Run != nil || p.Change != nil {
			t.Errorf("planned was %+v", p)
		}
	}
	if w.view.Automation.SeenSeq != 9 {
		t.Errorf("the mark went back to %d", w.view.Automation.SeenSeq)
	}
}

// TestAnEntryThatIsSkippedIsMarked verifies that an entry that arrives while the last run is active is recorded as
// skipped, and marked.
func TestAnEntryThatIsSkippedIsMarked(t *testing.T) {
	w, cfg := newWorld(t, hourly(watching(""), unended))
	w.events, w.made = []*domain.LogEvent{made(5, "tool", "")}, []*userdata.Entry{entry("red")}
	if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil {
		t.Fatal(err)
	}
	change := w.plans[0].Change
	if occurrences(change) != "12:00 SKIPPED overlap" || automation.Writes(change)[0].Automation.SeenSeq != 5 ||
		automation.Occurrences(change)[0].Trigger != domain.ByEvent {
		t.Errorf("%s, %+v", occurrences(change), automation.Writes(change))
	}
}

// With overlap=restart an entry ends the run that goes, and begins one.
func TestAnEntryRestarts(t *testing.T) {
	w, cfg := newWorld(t, hourly(watching(""), unended, policy("", automation.OverlapRestart)))
	w.events, w.made = []*domain.LogEvent{made(5, "tool", "")}, []*userdata.Entry{entry("red")}
	if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil || w.begun() != 1 || len(w.stopped) != 1 {
		t.Errorf("%v, %d runs, stopped %q", err, w.begun(), w.stopped)
	}
}

// TestStartDueReads verifies that due automations are started one at a time and that unreadable ones are reported.
func TestStartDueReads(t *testing.T) {
	away := errors.New("the database is away")
	w, cfg := newWorld(t, hourly(due(0, "")))
	f := &failing{world: w, due: away}
	cfg.Store = f
	if err := NewRuns(cfg).StartDue(t.Context(), domain.LaneRef{Workspace: "ws"}); !errors.Is(err, away) || w.begun() != 0 {
		t.Errorf("%v, %d runs", err, w.begun())
	}
	f.due = nil
	cfg.Store = &twice{f}
	if err := NewRuns(cfg).StartDue(t.Context(), domain.LaneRef{Workspace: "ws"}); err != nil || w.begun() != 1 {
		t.Errorf("of two, %d began: %v", w.begun(), err)
	}
	w.plans, w.slot = nil, scheduler.ErrSlotTaken
	if err := NewRuns(cfg).StartDue(t.Context(), domain.LaneRef{Workspace: "ws"}); err != nil || w.begun() != 0 {
		t.Errorf("the slot is taken: %d began: %v", w.begun(), err)
	}
}

// twice has two automations that are due.
type twice struct{ *failing }

func (twice) DueOccurrences(context.Context, string) ([]domain.AutomationRef, error) {
	return []domain.AutomationRef{{WorkspaceID: "ws", ID: "a"}, {WorkspaceID: "ws", ID: "b"}}, nil
}
