package app

import (
	"context"

	"github.com/fermata-dev/fermata/commands/checks"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/data/files"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/agui"
	"github.com/fermata-dev/fermata/handlers/chat"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/mcpserver"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/handlers/responses"
	"github.com/fermata-dev/fermata/handlers/uichat"
	"github.com/fermata-dev/fermata/orchestrator/plaincall"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/automations"
	"github.com/fermata-dev/fermata/stream"
)

// protocols returns the doors for other protocols, which work on the same sessions.
func (a *App) protocols(userData *data.Service, uploads *files.Service) handlers.Protocols {
	names := rounds.NewSessionNames(a.clock)
	front := frontEnds(a, names, uploads)
	shared := openai.Config{Config: front, Providers: a.providers, PublicURL: a.flags.PublicURL}
	uiChat := uichat.Config{Config: front}
	answers := responses.Config{Config: shared, Requests: a.store.Histories, Endings: struct {
		*scheduler.Sessions
		*scheduler.Messages
	}{a.scheduling.Sessions, a.scheduling.Messages}}
	return handlers.Protocols{
		ChatCompletions: &chat.Completions{Config: shared, Plain: plainCalls{&plaincall.Calls{
			Models: a.providers.Models, Store: a.store, Budgets: &a.plainBudgets, Observer: a.metrics, Clock: a.clock, NewID: a.newID,
		}}},
		Models: &openai.Models{Config: shared}, Model: &openai.Model{Config: shared}, Unimplemented: openai.NotImplemented{},
		Responses: &responses.Door{Config: answers}, Response: &responses.Stored{Config: answers},
		ResponseDeletion:     &responses.Deletion{Config: answers},
		ResponseCancellation: &responses.Cancellation{Config: answers},
		ResponseInput:        &responses.Input{Config: answers},
		AGUI:                 &agui.Door{Config: front}, AGUICapabilities: &agui.Capabilities{Version: a.flags.Version},
		UIChat: &uichat.Chat{Config: uiChat}, UIChatStream: &uichat.Resumption{Config: uiChat},
		MCP: mcpServer(a, front, userData),
	}
}

// mcpServer is the endpoint for MCP clients.
func mcpServer(a *App, front rounds.Config, userData *data.Service) *mcpserver.Door {
	return mcpserver.New(mcpserver.Config{
		Config: front, Runs: runs{a.scheduling.Sessions, a.scheduling.Messages, a.scheduling.Runs},
		Workspaces: doorReads{a.store.Sessions, a.store.Approvals, a.store.Workspaces}, Data: userData, Documents: userData,
		Keys: a.keys, PublicURL: a.flags.PublicURL, Version: a.flags.Version,
	})
}

// frontEnds configures the endpoints for front ends: AG-UI and the AI SDK.
func frontEnds(a *App, names *rounds.SessionNames, uploads *files.Service) rounds.Config {
	return rounds.Config{
		Commands: doors{a.scheduling.Sessions, a.scheduling.Messages, a.scheduling.Again, a.scheduling.Answers},
		Record:   doorReads{a.store.Sessions, a.store.Approvals, a.store.Workspaces}, Approvals: a.store.Approvals,
		Histories: a.store.Histories, Names: names, NewID: a.newID,
		Follow:       func(f stream.Filter) *stream.Reader { return a.broker.Reader(a.store.Events, f) },
		StillAllowed: a.auth.Still, API: ownAPI, Clock: a.clock, Files: sentFiles{checks.RichText{Config: a.checks()}, uploads},
		Catalogue: checks.Catalogue{Config: a.checks()},
	}
}

// ownAPI are the functions of the API that the protocols reuse.
var ownAPI = rounds.API{Failure: edge.FailureOf, Decision: edge.DecisionOf}

// runs is the part of the scheduler that starts and stops what sessions do.
type runs struct {
	*scheduler.Sessions
	*scheduler.Messages
	*automations.Runs
}

// doors is the part of the scheduler that other protocols use, and doorReads the reads.
type (
	doors struct {
		*scheduler.Sessions
		*scheduler.Messages
		*scheduler.Again
		*scheduler.Answers
	}
	doorReads struct {
		*repository.SessionStore
		*repository.ApprovalStore
		*repository.WorkspaceStore
	}
)

// sentFiles stores files attached to messages.
type sentFiles struct {
	checks.RichText
	*files.Service
}

// plainCalls make calls without a session.
type plainCalls struct{ *plaincall.Calls }

func (p plainCalls) CallPlain(ctx context.Context, workspace string, call chat.PlainCall) (*domain.RawAnswer, domain.Usage, error) {
	return p.Do(ctx, workspace, plaincall.Call(call))
}
