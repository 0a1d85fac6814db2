package automations

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// made is the event of created entries.
func made(seq int64, tool, by string) *domain.LogEvent {
	data, err := json.Marshal(domain.DataChange{Noun: "entry", Operation: "created", ToolID: tool, SessionID: by, Count: 1, MadeAt: &noon})
	if err != nil {
		panic(err)
	}
	return &domain.LogEvent{Seq: seq, Type: domain.LogDataChanged, Data: data}
}

func watching(condition string) func(*automation.View) {
	return func(v *automation.View) {
		v.Automation.Triggers = []automation.Trigger{{Type: automation.TriggerEntryCreated, ToolID: "tool", Condition: json.RawMessage(condition)}}
	}
}

func entry(text string) *userdata.Entry {
	return &userdata.Entry{ID: "ent_" + text, ToolID: "tool", Timestamp: noon, Data: json.RawMessage(fmt.Sprintf(`{"note":%q}`, text))}
}

// An entry that an automation watches for starts one run, and is not looked at again.
func TestStartByEntries(t *testing.T) {
	for name, c := range map[string]struct {
		view   *automation.View
		events []*domain.LogEvent
		begun  int
		prompt string
	}{
		"a new entry": {
			hourly(watching("")),
			[]*domain.LogEvent{made(5, "tool", "")}, 1, "New entries (1) in the tool tool started this run:\n- ent_red 2026-05-04T12:00:00Z: {\"note\":\"red\"}",
		},
		"two, at two times":      {hourly(watching("")), []*domain.LogEvent{made(5, "tool", ""), made(6, "tool", "")}, 2, ""},
		"of another tool":        {hourly(watching("")), []*domain.LogEvent{made(5, "other", "")}, 0, ""},
		"by a person's session":  {hourly(watching("")), []*domain.LogEvent{made(5, "tool", "run of none")}, 1, ""},
		"by its own run":         {hourly(watching("")), []*domain.LogEvent{made(5, "tool", "run of aut")}, 0, ""},
		"by who was deleted":     {hourly(watching("")), []*domain.LogEvent{made(5, "tool", "gone")}, 1, ""},
		"the condition holds":    {hourly(watching(`"red"`)), []*domain.LogEvent{made(5, "tool", "")}, 1, ""},
		"the condition fails":    {hourly(watching(`"blue"`)), []*domain.LogEvent{made(5, "tool", "")}, 0, ""},
		"another event":          {hourly(watching("")), []*domain.LogEvent{{Seq: 5, Type: domain.LogNotice}}, 0, ""},
		"disabled":               {hourly(watching(""), disabled), []*domain.LogEvent{made(5, "tool", "")}, 0, ""},
		"the last run is active": {hourly(watching(""), unended), []*domain.LogEvent{made(5, "tool", "")}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, cfg := newWorld(t, c.view)
			w.events, w.made = c.events, []*userdata.Entry{entry("red")}
			for range 2 { // what was looked at is not looked at again
				if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil {
					t.Fatal(err)
				}
			}
			if w.begun() != c.begun {
				t.Errorf("%d runs, want %d", w.begun(), c.begun)
			}
			if c.prompt != "" && !strings.HasSuffix(w.plans[0].Run.Messages[0].Rich.LinearText, c.prompt) {
				t.Errorf("its request is %q", w.plans[0].Run.Messages[0].Rich.LinearText)
			}
			last := c.events[len(c.events)-1].Seq
			if seen := w.view.Automation.SeenSeq; c.view.Automation.Enabled && seen != last {
				t.Errorf("it has looked up to %d, want %d", seen, last)
			}
		})
	}
}

// Words from outside reach a run through the entries that another session made of them.
func TestARunKnowsWhatTheMakerOfItsEntriesRead(t *testing.T) {
	page := domain.Provenance{Origin: domain.OriginHTTP, Source: "WEB.READ"}
	for name, taint := range map[string]*domain.Taint{"nothing": nil, "a page": (*domain.Taint)(nil).With(page)} {
		w, cfg := newWorld(t, hourly(watching("")))
		w.events, w.made = []*domain.LogEvent{made(5, "tool", "run of none")}, []*userdata.Entry{entry("red")}
		w.taint = taint
		if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil {
			t.Fatal(err)
		}
		run := w.plans[0].Run
		if got := run.Session.State.Taint; (got == nil) != (taint == nil) || got != nil && got.Sources[0] != page {
			t.Errorf("the maker read %s: the run knows of %+v", name, got)
		}
		segments := run.Messages[0].Rich.Segments
		if from := segments[len(segments)-1].From; from == nil || from.Origin != domain.OriginData || from.Source != "tool" {
			t.Errorf("the entries are from %+v", from)
		}
	}
}

// The mark is written with the run: an entry starts one run, whatever crashes.
func TestTheMarkIsWrittenWithTheRun(t *testing.T) {
	w, cfg := newWorld(t, hourly(watching("")))
	w.events, w.made = []*domain.LogEvent{made(5, "tool", "")}, []*userdata.Entry{entry("red")}
	if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil {
		t.Fatal(err)
	}
	first := w.plans[0]
	if first.Run == nil || len(automation.Writes(first.Change)) != 1 || automation.Writes(first.Change)[0].Automation.SeenSeq != 5 || !automation.Writes(first.Change)[0].Bookkeeping {
		t.Errorf("the plan is %+v", first)
	}
}

// TestAnEntryThatCannotStartIsReported verifies that people are notified once of an entry that cannot start its
// automation.
func TestAnEntryThatCannotStartIsReported(t *testing.T) {
	w, cfg := newWorld(t, hourly(watching(""), func(v *automation.View) { v.Seed = nil }))
	w.events, w.made = []*domain.LogEvent{made(5, "tool", "")}, []*userdata.Entry{entry("red")}
	for range 2 {
		if err := NewRuns(cfg).StartByEntries(t.Context(), "ws"); err != nil {
			t.Fatal(err)
		}
	}
	var notices []string
	for _, p := range w.plans {
		if p.Change == nil {
			continue
		}
		for _, e := range p.Change.Events {
			notices = append(notices, e.Notice.Code+": "+e.Notice.Text)
		}
	}
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "automation_not_started: A new entry did not start") || w.view.Automation.SeenSeq != 5 {
		t.Errorf("%q", notices)
	}
}

// TestListed verifies that a run's request lists a limited number of entries and counts the others.
func TestListed(t *testing.T) {
	var all []*userdata.Entry
	for i := range maxListed + 3 {
		all = append(all, entry(fmt.Sprint(i)))
	}
	text := listed(all)
	if strings.Count(text, "\n- ") != maxListed || !strings.HasSuffix(text, "\n… and 3 more") || !strings.HasPrefix(text, "New entries (23) in the tool tool") {
		t.Error(text)
	}
}
