package agents

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/spelling"
)

// Create makes an agent.
func (s *Service) Create(ctx context.Context, workspace string, patch userdata.AgentPatch) (*userdata.AgentDefinition, error) {
	now := s.Clock()
	a := &userdata.AgentDefinition{
		ID:          s.NewID(domain.PrefixAgent),
		WorkspaceID: workspace,
		AgentFields: userdata.AgentFields{MaxTurns: domain.AgentMaxTurns, TokenBudget: domain.AgentTokenBudget, Enabled: true},
		CreatedAt:   now,
		UpdatedAt:   now,
	}
	if err := patch.Apply(&a.AgentFields); err != nil {
		return nil, err
	}
	if err := s.check(ctx, a, nil); err != nil {
		return nil, err
	}
	return a, s.Store.InsertAgent(ctx, a)
}

// Update merges the patch into an agent as it is; version is the one that the client saw, 0: any. A
// built-in agent becomes the workspace's own by it.
func (s *Service) Update(ctx context.Context, workspace, id string, version int64,
	patch userdata.AgentPatch) (*userdata.AgentDefinition, error) {
	for {
		a, err := s.Agent(ctx, workspace, id)
		if err != nil {
			return nil, err
		}
		if version != 0 && version != a.Version {
			return nil, domain.ErrStale
		}
		before := a.Commands
		if err := patch.Apply(&a.AgentFields); err != nil {
			return nil, err
		}
		if err := s.check(ctx, a, before); err != nil {
			return nil, err
		}
		a.UpdatedAt = s.Clock()
		if a.BuiltIn && a.Version == builtInVersion {
			a.CreatedAt = a.UpdatedAt
			err = s.Store.InsertAgent(ctx, a)
		} else {
			err = s.Store.UpdateAgent(ctx, a)
		}
		if errors.Is(err, domain.ErrStale) && version == 0 && ctx.Err() == nil {
			continue // another change was faster: merged into the new state
		}
		return a, err
	}
}

// Delete takes an agent away; of a built-in one, what the workspace changed of it.
func (s *Service) Delete(ctx context.Context, workspace, id string, version int64) error {
	a, err := s.Agent(ctx, workspace, id)
	switch {
	case err != nil:
		return err
	case version != 0 && version != a.Version:
		return domain.ErrStale
	case a.BuiltIn && a.Version == builtInVersion:
		return domain.Errorf(domain.CodeConflict, "%s is built in and cannot be deleted. Switch it off instead: enabled: false.", a.Name)
	}
	return s.Store.DeleteAgent(ctx, workspace, id)
}

// outsideName is how the name of a command from outside looks. Which of them there are
// changes: one that is not there is not offered.
var outsideName = regexp.MustCompile(`^[A-Z0-9_]+\.[A-Z0-9_.]+$`)

// check looks at what the contract cannot say. before are the commands that the agent had: they may
// have been accepted when more could be.
func (s *Service) check(ctx context.Context, a *userdata.AgentDefinition, before []string) error {
	for _, text := range []struct{ at, text string }{
		{"/description", a.Description}, {"/system_prompt", a.SystemPrompt},
	} {
		if strings.TrimSpace(text.text) == "" {
			return domain.Invalid(text.at, "required", "Say something here: the agent is known and led by it.")
		}
	}
	if takesBuiltInName(a) {
		return domain.Errorf(domain.CodeConflict, "Another agent already uses the command %s. Nothing was changed.", a.Command())
	}
	if err := s.checkCommands(a); err != nil {
		return err
	}
	if err := s.checkOffered(ctx, a, before); err != nil {
		return err
	}
	if a.ProviderID == "" {
		return nil
	}
	_, err := s.Providers.Provider(ctx, a.WorkspaceID, a.ProviderID)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.Invalid("/provider_id", "unknown_provider", "There is no provider %.80q.", a.ProviderID)
	}
	return err
}

// takesBuiltInName: the database has the names of a workspace's agents, but no row of an unchanged
// built-in one. Two agents of one name would be offered to the AI as two commands of one name, and vendors
// reject every such call.
func takesBuiltInName(a *userdata.AgentDefinition) bool {
	return slices.ContainsFunc(builtIns(), func(b *userdata.AgentDefinition) bool { return b.ID != a.ID && b.Command() == a.Command() })
}

func (s *Service) checkCommands(a *userdata.AgentDefinition) error {
	var names []string
	for _, spec := range s.Specs() {
		if spec.Kind != domain.KindControl {
			names = append(names, spec.Name)
		}
	}
	for i, name := range a.Commands {
		at := fmt.Sprintf("/commands/%d", i)
		switch {
		case slices.Contains(a.Commands[:i], name):
			return domain.Invalid(at, "duplicate", "%.80q stands twice.", name)
		case name == a.Command():
			return domain.Invalid(at, "itself", "An agent cannot call itself.")
		case slices.Contains(names, name), outsideName.MatchString(name):
		default:
			hint := ""
			if like := spelling.Nearest(name, names); like != "" {
				hint = " Did you mean " + like + "?"
			}
			return domain.Invalid(at, "unknown_command", "There is no command %.80q.%s", name, hint)
		}
	}
	return nil
}

// checkOffered refuses a command that exists and that no agent is ever offered: the list would promise
// what the agent cannot do.
func (s *Service) checkOffered(ctx context.Context, a *userdata.AgentDefinition, before []string) error {
	has := func(specs []domain.CommandSpec, name string) bool {
		return slices.ContainsFunc(specs, func(spec domain.CommandSpec) bool { return spec.Name == name })
	}
	forAgents, own := s.SpecsFor(domain.Agent, nil), s.Specs()
	var outside []domain.CommandSpec
	for i, name := range a.Commands {
		at := fmt.Sprintf("/commands/%d", i)
		switch {
		case slices.Contains(before, name):
		case has(own, name):
			if !has(forAgents, name) {
				return domain.Invalid(at, "not_for_agents", "%.80q is never offered to an agent: it needs a person, or tasks, and an agent has neither.", name)
			}
		case domain.CallsAgent(name):
		default:
			if outside == nil {
				var err error
				if outside, err = s.Outside(ctx, a.WorkspaceID); err != nil {
					return fmt.Errorf("read the commands from outside: %w", err)
				}
			}
			if slices.ContainsFunc(outside, func(spec domain.CommandSpec) bool { return spec.Name == name && spec.Deadline > 0 }) {
				return domain.Invalid(at, "not_for_agents", "%.80q is long-running work, which an agent cannot wait for. Let its caller start it.", name)
			}
		}
	}
	return nil
}
