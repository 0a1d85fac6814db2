package agents

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

type rows struct {
	Store

	agent *userdata.AgentDefinition
}

func (r *rows) InsertAgent(_ context.Context, a *userdata.AgentDefinition) error {
	r.agent = a
	return nil
}

func (r *rows) UpdateAgent(ctx context.Context, a *userdata.AgentDefinition) error {
	return r.InsertAgent(ctx, a)
}

func (r *rows) Agent(context.Context, string, string) (*userdata.AgentDefinition, error) {
	own := *r.agent
	return &own, nil
}

// A definition names no command that an agent is never offered.
func TestAnAgentIsOfferedWhatItsDefinitionNames(t *testing.T) {
	catalogue, store := commands.New(data.NewRules(), automations.Drafts{}), &rows{}
	s := &Service{
		Store: store, Specs: catalogue.Specs, SpecsFor: catalogue.SpecsFor, Clock: func() time.Time { return time.Unix(0, 0) }, NewID: repeatable.IDs(),
		Outside: func(context.Context, string) ([]domain.CommandSpec, error) {
			return []domain.CommandSpec{
				{Name: "LPT.BANKER", Source: "long_running", Kind: domain.KindAction, Deadline: time.Hour},
				{Name: "SHOP.FIND", Source: "http", Kind: domain.KindQuery},
			}, nil
		},
	}
	patch := func(names ...string) userdata.AgentPatch {
		list := `"` + strings.Join(names, `","`) + `"`
		return userdata.AgentPatch(`{"name":"Does it.","description":"Does it.","system_prompt":"Does it.","commands":[` + list + `]}`)
	}
	for name, code := range map[string]string{
		"ZONES": "", "CREATE_ZONE": "", "SEARCH": "", "SHOP.FIND": "", "NOT_THERE.YET": "", "AGENT.OTHER": "",
		"TASKS": "not_for_agents", "CANCEL_TASK": "unknown_command", "CREATE_AUTOMATION": "not_for_agents", "LPT.BANKER": "not_for_agents",
		"ASK_USER": "unknown_command", "COMPLETE": "unknown_command", "ZONE": "unknown_command",
	} {
		_, err := s.Create(t.Context(), "default", patch("APP_STATE", name))
		known, _ := err.(*domain.Error)
		switch {
		case code == "" && err == nil:
		case known == nil || len(known.Fields) != 1 || known.Fields[0].Code != code || known.Fields[0].Pointer != "/commands/1" ||
			!strings.Contains(known.Fields[0].Message, name):
			t.Errorf("%s: %v", name, err)
		}
	}
	// One that was accepted before can be changed all the same.
	store.agent = &userdata.AgentDefinition{ID: "agt_1", WorkspaceID: "default", AgentFields: userdata.AgentFields{Commands: []string{"TASKS"}}, Version: 2}
	p := userdata.AgentPatch(`{"name":"Does it.","description":"Does it differently.","system_prompt":"Does it.","commands":["TASKS","ZONES"]}`)
	if _, err := s.Update(t.Context(), "default", "agt_1", 0, p); err != nil {
		t.Errorf("a definition of before: %v", err)
	}
	if a := store.agent; a.Description != "Does it differently." || len(a.Commands) != 2 || a.Enabled || a.ID != "agt_1" {
		t.Errorf("the changed agent is %+v", a)
	}
	if _, err := s.Update(t.Context(), "default", "agt_1", 1, userdata.AgentPatch(`{"enabled":true}`)); !errors.Is(err, domain.ErrStale) {
		t.Errorf("a change of an older version: %v", err)
	}
	if a, err := s.Update(t.Context(), "default", "agt_1", 2, userdata.AgentPatch(`{"enabled":true,"model":null}`)); err != nil || !a.Enabled {
		t.Errorf("a change of this version: %+v, %v", a, err)
	}
}
