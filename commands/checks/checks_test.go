package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// world has the files, connectors and agents of one workspace.
type world struct {
	files      map[string]*userdata.File
	connectors []*outside.Connector
	agents     []*userdata.AgentDefinition
}

func (w *world) File(_ context.Context, _, id string) (*userdata.File, error) {
	if id == "broken" {
		return nil, errors.New("the database is unreachable")
	}
	if f := w.files[id]; f != nil {
		return f, nil
	}
	return nil, domain.Errorf(domain.CodeNotFound, "no such file")
}

func (w *world) Connectors(context.Context, string) ([]*outside.Connector, error) {
	return w.connectors, nil
}

func (w *world) Agents(context.Context, string) ([]*userdata.AgentDefinition, error) {
	return w.agents, nil
}

func file(id string) domain.Segment {
	return domain.Segment{Type: domain.SegmentFile, File: &domain.FileRef{ID: id}}
}

// Files are named once with their stored metadata; the first message of an automation has none.
func TestFilesOfAMessage(t *testing.T) {
	w := &world{files: map[string]*userdata.File{}}
	many := make([]domain.Segment, domain.MaxMessageFiles+1)
	for i := range many {
		id := fmt.Sprintf("fil_%d", i)
		w.files[id] = &userdata.File{FileRef: domain.FileRef{ID: id, Name: "name of " + id}}
		many[i] = file(id)
	}
	text := domain.Segment{Type: domain.SegmentText, Text: "look"}
	for name, c := range map[string]struct {
		kind domain.SessionType
		sent []domain.Segment
		want string // an error, or the ids
	}{
		"a text alone":       {domain.Chat, []domain.Segment{text}, ""},
		"twice the same":     {domain.Chat, []domain.Segment{file("fil_1"), text, file("fil_1"), file("fil_2")}, "fil_1 fil_2"},
		"as many as may be":  {domain.Chat, many[1:], strings.Join(ids(many[1:]), " ")},
		"one more":           {domain.Chat, many, "at most"},
		"one that is gone":   {domain.Chat, []domain.Segment{file("fil_x")}, "fil_x"},
		"not readable":       {domain.Chat, []domain.Segment{file("broken")}, "unreachable"},
		"in an automation":   {domain.Seed, []domain.Segment{file("fil_1")}, "cannot have files"},
		"a text of its seed": {domain.Seed, []domain.Segment{text}, ""},
	} {
		known, err := RichText{Config{Files: w}}.withFiles(t.Context(), "ws", c.kind, c.sent)
		got := strings.Join(ids(known), " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, s := range known {
			if s.File != nil && s.File.Name != "name of "+s.File.ID {
				t.Errorf("%s: %+v is not the stored file", name, s.File)
			}
		}
	}
}

func ids(segments []domain.Segment) (all []string) {
	for _, s := range segments {
		if s.File != nil {
			all = append(all, s.File.ID)
		}
	}
	return all
}

// An automation names commands of connectors, in any state, and of agents.
func TestCommandsOfAnAutomation(t *testing.T) {
	w := &world{
		connectors: []*outside.Connector{{Prefix: "SHOP", Commands: []outside.ConnectorCommand{{Name: "ORDER"}}}},
		agents:     []*userdata.AgentDefinition{{AgentFields: userdata.AgentFields{Name: "Critic"}}},
	}
	checks := Automations{Config{Connectors: w, Agents: w}}
	for _, known := range [][]string{nil, {"*"}, {"SHOP.ORDER", "SHOP.*"}, {"AGENT.CRITIC", "AGENT.*"}} {
		if err := checks.CheckCommands(t.Context(), "ws", known); err != nil {
			t.Errorf("%v: %v", known, err)
		}
	}
	for _, unknown := range []string{"SHOP.PAY", "OTHER.*", "ORDER", ""} {
		err := checks.CheckCommands(t.Context(), "ws", []string{"SHOP.ORDER", unknown})
		if domain.ErrorCode(err) != domain.CodeInvalid {
			t.Errorf("%q: %v", unknown, err)
		}
	}
}

// A trigger without a schema fires always.
func TestConditions(t *testing.T) {
	if holds, err := (Conditions{}).Holds(nil, []byte("1")); err != nil || !holds {
		t.Errorf("%v, %v", holds, err)
	}
}

// An answer is about the actions of the plan, not its queries.
func TestActionsOfAPlan(t *testing.T) {
	at := time.Unix(1, 0)
	view := &domain.View{Planned: []*domain.Execution{
		{ID: "a", Kind: domain.KindAction, StartedAt: &at}, {ID: "q", Kind: domain.KindQuery}, {ID: "b", Kind: domain.KindAction},
	}}
	if got := actionsOf(view); len(got) != 2 || got[0].ID != "a" || got[1].ID != "b" {
		t.Errorf("%v", got)
	}
}
