package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/cache"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/internal/traces"
)

// Agents are the definitions of a workspace's agents.
type Agents interface {
	// Offered are those that there are now, with the built-in ones. version is the workspace's
	// count of their changes.
	Offered(ctx context.Context, workspace string, version int64) ([]*userdata.AgentDefinition, error)
	// AgentVersion is an agent as a session was begun with it.
	AgentVersion(ctx context.Context, workspace, id string, version int64) (*userdata.AgentDefinition, error)
}

// maxQuery bounds the task that an agent is given, in characters.
const maxQuery = 16_000

var agentParams = schema.Object(fmt.Sprintf(
	`"query": {"type": "string", "minLength": 1, "maxLength": %d, "description": %q}`,
	maxQuery, "The task, with all that the agent must know: it sees nothing of this conversation.",
), "query")

// agents remembers the definitions of workspaces. A workspace counts their changes on its
// row, so that what is remembered is used only while it holds.
type agents struct {
	source Agents
	lists  cache.Map[string, agentList]
	was    cache.Map[string, *userdata.AgentDefinition] // by workspace, agent and version
}

// maxCached bounds what a process caches of workspaces.
const maxCached = 4096

type agentList struct {
	version int64
	all     []*userdata.AgentDefinition
}

func newAgents(source Agents) *agents {
	return &agents{
		source: source,
		lists:  cache.Map[string, agentList]{Most: maxCached},
		was:    cache.Map[string, *userdata.AgentDefinition]{Most: maxCached},
	}
}

// of are the agents of the view's workspace.
func (a *agents) of(ctx context.Context, view *domain.View) ([]*userdata.AgentDefinition, error) {
	if a.source == nil {
		return nil, nil
	}
	if all, known := a.known(view); known {
		return all, nil
	}
	all, err := a.source.Offered(ctx, view.Workspace.ID, view.Workspace.AgentsVersion)
	if err != nil {
		return nil, fmt.Errorf("read the agents: %w", err)
	}
	a.lists.Set(view.Workspace.ID, agentList{version: view.Workspace.AgentsVersion, all: all})
	return all, nil
}

// known are those in memory.
func (a *agents) known(view *domain.View) ([]*userdata.AgentDefinition, bool) {
	have, ok := a.lists.Get(view.Workspace.ID)
	return have.all, ok && have.version == view.Workspace.AgentsVersion
}

// begunWith is the definition that a session of an agent has; nil for any other session.
func (a *agents) begunWith(ctx context.Context, s *domain.Session) (*userdata.AgentDefinition, error) {
	run := s.State.Agent
	if run == nil || a.source == nil {
		return nil, nil
	}
	key := fmt.Sprintf("%s %s %d", s.WorkspaceID, run.AgentID, run.Version)
	if have, ok := a.was.Get(key); ok {
		return have, nil
	}
	fresh, err := a.source.AgentVersion(ctx, s.WorkspaceID, run.AgentID, run.Version)
	if err != nil {
		return nil, fmt.Errorf("read the definition of an agent: %w", err)
	}
	a.was.Set(key, fresh)
	return fresh, nil
}

// offeredIn are those of the agents that a session may call: an agent calls only those that
// its definition names, and not when an agent has called it.
func offeredIn(s *domain.Session, all []*userdata.AgentDefinition) []domain.CommandSpec {
	var specs []domain.CommandSpec
	run := s.State.Agent
	for _, a := range all {
		name := a.Command()
		if !a.Enabled || run != nil && (run.Depth >= domain.AgentMaxDepth || a.ID == run.AgentID || !slices.Contains(run.Commands, name)) {
			continue
		}
		specs = append(specs, AgentCommand(a))
	}
	return specs
}

// AgentCommand is the command that calls an agent, as the catalogue describes it.
func AgentCommand(a *userdata.AgentDefinition) domain.CommandSpec {
	return domain.CommandSpec{
		Name: a.Command(), Kind: domain.KindQuery, Role: domain.RoleMember, Effect: domain.EffectIdempotent, Source: domain.SourceAgent,
		Description: a.Description + " (An agent: it works on the task by itself and reports back.)",
		Params:      agentParams, Timeout: domain.AgentMaxActive, BuiltInAgent: a.BuiltIn,
	}
}

// offersIn are the external commands of the view's session: those that its workspace allows. An agent gets
// those that its definition names, and none whose work outlasts its own.
func offersIn(view *domain.View, outside []domain.CommandSpec, all []*userdata.AgentDefinition) []domain.CommandSpec {
	offers := slices.Concat(outside, offeredIn(view.Session, all))
	if run := view.Session.State.Agent; run != nil {
		offers = slices.DeleteFunc(offers, func(spec domain.CommandSpec) bool {
			return spec.Source != domain.SourceAgent && (spec.Deadline > 0 || !slices.Contains(run.Commands, spec.Name))
		})
	}
	return slices.DeleteFunc(offers, func(spec domain.CommandSpec) bool {
		return !view.Session.MayBeOffered(&view.Workspace.Settings, spec.Name)
	})
}

// offer is what the AI is offered in the view's session.
func (l *Loop) offer(ctx context.Context, view *domain.View) definitions.Offer {
	env := l.env(view, callable{specs: l.offered(ctx, view)})
	return l.cfg.Commands.Offer(&env)
}

// knownOffer is the cached one: decisions are made under locks.
func (l *Loop) knownOffer(view *domain.View) definitions.Offer {
	all, _ := l.agents.known(view)
	env := l.env(view, callable{specs: offersIn(view, l.offers.of(view.Workspace.ID), all)})
	return l.cfg.Commands.Offer(&env)
}

// newAgent is the session of an agent that begins, for an execution of the calling session.
func (c *calling) newAgent(a *userdata.AgentDefinition, call *domain.Execution, left domain.Budgets) domain.NewAgentRun {
	var params struct {
		Query string `json:"query"`
	}
	_ = json.Unmarshal(call.Params, &params) // checked when it was planned
	parent := c.caller.session
	run := &domain.AgentRun{
		AgentID: a.ID, Version: a.Version, Name: a.Name, Commands: a.Commands, MaxTurns: a.MaxTurns, TokenBudget: a.TokenBudget,
		Model: a.Model, Depth: 1, RootID: parent.ID, ExecutionID: call.ID,
	}
	if above := parent.State.Agent; above != nil {
		run.Depth, run.RootID = above.Depth+1, above.RootID
		if run.RootID == "" {
			run.RootID = parent.ID
		}
	}
	s := newAgentSession(a, run, params.Query, c.caller.loop.cfg.Clock(), c.caller.loop.cfg.NewID)
	s.Query.Rich.Segments[0].From = domain.From(domain.OriginModel, parent.Model) // no person wrote it
	s.Session.State.Commands = parent.State.Commands                              // an agent may no more than who calls it
	s.Session.ID, s.Query.SessionID = domain.AgentSessionID(call.ID), domain.AgentSessionID(call.ID)
	s.Session.Ownership = parent.Ownership
	s.Session.WorkspaceID, s.Query.WorkspaceID = parent.WorkspaceID, parent.WorkspaceID
	s.Session.Lane = parent.Lane
	s.Session.Budgets = left
	s.Session.ParentSessionID, s.Session.AutomationID = parent.ID, parent.AutomationID
	s.Session.RequireValidation, s.Session.ScheduledExecutionTime = parent.RequireValidation, parent.ScheduledExecutionTime
	s.Session.State.Validation, s.Session.State.Taint = parent.State.Validation, parent.State.Taint
	s.Session.State.RoundTrace = traces.OfRound(parent.State.RoundTrace, parent.State.RoundID) // it works in its caller's round
	s.Session.State.RoundBy, s.Session.State.RoundByName = parent.State.RoundBy, parent.State.RoundByName
	s.Session.State.RoundRole = parent.ActsAs()
	if s.Session.ProviderID == "" {
		s.Session.ProviderID = parent.ProviderID
	}
	return s
}

// newAgentSession is an agent's session with its first message, as it begins.
func newAgentSession(
	a *userdata.AgentDefinition, run *domain.AgentRun, query string, now time.Time, newID domain.IDSource,
) domain.NewAgentRun {
	round := newID(domain.PrefixRound)
	s := &domain.Session{
		ID: newID(domain.PrefixSession), WorkspaceID: a.WorkspaceID, Type: domain.Agent, Name: a.Name, Phase: domain.CallingAI,
		ProviderID: a.ProviderID, CreatedAt: now, UpdatedAt: now, LastEventTime: now,
		State: domain.SessionState{
			RoundState: domain.RoundState{
				RoundID: round, RoundCause: domain.CauseUserMessage, NextReason: domain.RoundtripReason(domain.CauseUserMessage),
			},
			NextRound: domain.NextRound{RoundModel: a.Model}, Agent: run, Counters: domain.Counters{ContextTokens: (len(query)*2 + 6) / 7},
		},
	}
	m := &domain.Message{
		ID: newID(domain.PrefixMessage), WorkspaceID: a.WorkspaceID, SessionID: s.ID, RoundID: round, Timestamp: now,
		Sender: domain.SenderUser, Status: domain.MessageStored,
		Rich: &domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: query}}, LinearText: query},
	}
	s.State.RoundMessageID = m.ID
	return domain.NewAgentRun{Session: s, Query: m}
}

// NewTrial is the session of an agent that a person tries on a task, without a calling session.
func NewTrial(a *userdata.AgentDefinition, task string, by domain.Author, now time.Time, newID domain.IDSource) domain.NewAgentRun {
	run := newAgentSession(a, &domain.AgentRun{
		AgentID: a.ID, Version: a.Version, Name: a.Name, Commands: a.Commands, MaxTurns: a.MaxTurns, TokenBudget: a.TokenBudget,
		Model: a.Model, Depth: 1,
	}, task, now, newID)
	run.Session.Trigger, run.Session.Owner = domain.ByHand, by.Person
	run.Session.State.RoundBy, run.Session.State.RoundByName, run.Session.State.RoundRole = by.ID, by.Name, by.Role
	run.Query.SetBy(by)
	return run
}
