package commands

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Data is the user's data of one workspace, as commands read and change it.
type Data = data.Store

// Caller sends one call to a server outside, once.
type Caller func(ctx context.Context, call outside.Call) (outside.Result, error)

// Env is the context of a command: facts about its session and workspace. What a command does beyond the user's data,
// such as a question to a person, leaves in the result of the run that it is a part of, and the caller does it.
type Env struct {
	data.Env
	SessionType               domain.SessionType
	Role                      domain.Role // the rights of who speaks: what needs more is refused
	RoundID                   string      // given to the executions that are made
	SessionRequiresValidation bool
	// Grants are those of the run's automation, with their uses up to the current answer; none in a CHAT.
	// Approving decides which reasons for an approval count.
	Grants    []*domain.Grant
	Approving domain.Approving
	// Taint is what the session has read from outside: what its AI asks for now, it may ask
	// for because of that.
	Taint *domain.Taint
	// Outside are the commands from outside that the session is offered; what is not among
	// them cannot run.
	Outside []domain.CommandSpec
	// By is who speaks in the round, ProviderID the session's own provider; "": the workspace's.
	By         string
	ProviderID string
	// Tasks are the session's running ones at other services.
	Tasks []*domain.Task
	// Answers are people's answers to the questions of calls, by execution.
	Answers map[string]domain.OutsideAnswer
	// Unsettled are the ids of commands (domain.Execution.CommandID) that were sent and have an unknown
	// outcome.
	Unsettled map[string]bool
	// Owner is the id of the person whose session it is; "" for one of the workspace.
	Owner string
	// Restricted: of the catalogue's own commands the session is offered only those of Only.
	Restricted bool
	Only       []string
	Uses       definitions.Uses // what the workspace has, and the session was given
	// SeriesBytes bounds the results of a series; 0: the usual.
	SeriesBytes int
	// Clock measures how long commands take; nil: all that happens, happens at Now.
	Clock clock.Clock
}

// EnvOf is the env of the session of a view. Its grants are the view's.
func EnvOf(view *domain.View, now time.Time, newID domain.IDSource) Env {
	session, settings := view.Session, &view.Workspace.Settings
	env := Env{
		Env: data.EnvOf(view.Workspace, now, newID), SessionType: session.Type, Role: session.ActsAs(),
		SessionRequiresValidation: session.RequireValidation, Grants: view.Grants,
		Taint: session.State.Taint, Approving: session.Approving(settings),
	}
	env.Writer = trust.BySession(session.State.Taint)
	env.SessionID, env.Owner, env.Tasks = session.ID, session.Owner, view.Tasks
	env.Author = domain.Author{ID: session.State.RoundBy, Name: session.State.RoundByName, Role: session.State.RoundRole}
	env.By, env.ProviderID = session.State.RoundBy, session.ProviderID
	if run := session.State.Agent; run != nil {
		env.Restricted, env.Only, env.SeriesBytes = true, run.Commands, run.TokenBudget/4*7/2
	}
	if session.State.Pending != nil {
		env.Answers = session.State.Pending.Outside
	}
	if session.ScheduledExecutionTime != nil {
		env.Reference = *session.ScheduledExecutionTime
	}
	return env
}

func (e *Env) time() time.Time {
	if e.Clock == nil {
		return e.Now
	}
	return e.Clock()
}
