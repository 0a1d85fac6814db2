package app

import (
	"context"

	"github.com/fermata-dev/fermata/commands/checks"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/data/files"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/agui"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/mcpserver"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/handlers/uichat"
	"github.com/fermata-dev/fermata/orchestrator/plaincall"
	"github.com/fermata-dev/fermata/providers/configured"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/automations"
	"github.com/fermata-dev/fermata/stream"
)

// protocols returns the doors for other protocols, which work on the same sessions.
func (a *App) protocols(userData *data.Service, uploads *files.Service) handlers.Protocols {
	names := rounds.NewSessionNames(a.clock)
	config := openai.Config{
		Door:      doors{a.scheduling.Sessions, a.scheduling.Messages, a.scheduling.Again, a.scheduling.Answers},
		Record:    doorReads{a.store.Sessions, a.store.Approvals, a.store.Workspaces},
		Follow:    func(f stream.Filter) *stream.Reader { return a.broker.Reader(a.store.Events, f) },
		Histories: a.store.Histories, Names: names, Access: a.auth, Failure: edge.FailureOf,
		Providers: offered{a.providers, checks.Catalogue{Config: a.checks()}},
		Files:     sentFiles{checks.RichText{Config: a.checks()}, uploads},
		PublicURL: a.flags.PublicURL, Clock: a.clock, NewID: a.newID,
	}
	front := frontEnds(a, names, uploads)
	uiChat := uichat.Config{Config: front}
	ends := struct {
		*scheduler.Sessions
		*scheduler.Messages
	}{a.scheduling.Sessions, a.scheduling.Messages}
	return handlers.Protocols{
		ChatCompletions: &openai.Completions{Config: config, Plain: plainCalls{&plaincall.Calls{
			Models: a.providers.Models, Store: a.store, Budgets: &a.plainBudgets, Observer: a.metrics, Clock: a.clock, NewID: a.newID,
		}}},
		Models: &openai.Models{Config: config}, Model: &openai.Model{Config: config}, Unimplemented: openai.NotImplemented{},
		Responses: &openai.Responses{Config: config}, Response: &openai.Response{Config: config},
		ResponseDeletion:     &openai.ResponseDelete{Config: config, Endings: ends},
		ResponseCancellation: &openai.ResponseEnd{Config: config, Endings: ends},
		ResponseInput:        &openai.ResponseInput{Config: config},
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
		Record:   a.store.Sessions, Approvals: a.store.Approvals, Histories: a.store.Histories, Names: names,
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
	offered struct {
		*configured.Service
		checks.Catalogue
	}
)

// sentFiles stores files attached to messages.
type sentFiles struct {
	checks.RichText
	*files.Service
}

// plainCalls make calls without a session.
type plainCalls struct{ *plaincall.Calls }

func (p plainCalls) CallPlain(ctx context.Context, workspace string, call openai.PlainCall) (*domain.RawAnswer, domain.Usage, error) {
	return p.Do(ctx, workspace, plaincall.Call(call))
}
