package app

import (
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/files"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/agui"
	"github.com/fermata-dev/fermata/handlers/mcpserver"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/handlers/uistream"
	"github.com/fermata-dev/fermata/providers/configured"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/automations"
	"github.com/fermata-dev/fermata/stream"
)

// protocols returns the routes of the other protocols, which work on the same sessions.
func (a *App) protocols(who *auth.Authenticator, userData *data.Service, uploads *files.Service) []handlers.ProtocolRoute {
	names := rounds.NewSessionNames(a.clock)
	config := openai.Config{
		Door:      doors{a.scheduling.Sessions, a.scheduling.Messages, a.scheduling.Again, a.scheduling.Answers},
		Record:    doorReads{a.store.Sessions, a.store.Approvals, a.store.Workspaces},
		Follow:    func(f stream.Filter) *stream.Reader { return a.broker.Reader(a.store.Events, f) },
		Histories: a.store.Histories, Names: names, Access: who, Failure: handlers.FailureOf,
		Providers: offered{a.providers, catalogueService{a}},
		Files:     sentFiles{richText{a}, uploads},
		PublicURL: a.flags.PublicURL, Clock: a.clock, NewID: a.newID,
	}
	front := frontEnds(a, names, who, uploads)
	uiChat := uistream.Config{Config: front}
	return append(responses(a, config), []handlers.ProtocolRoute{
		{
			Method: "POST", Pattern: "/v1/chat/completions", Role: domain.RoleMember, Small: true,
			Protocol: &openai.Completions{Config: config, Plain: plainCalls{a}},
		},
		{Method: "GET", Pattern: "/v1/models", Role: domain.RoleViewer, Protocol: &openai.Models{Config: config}},
		{Method: "GET", Pattern: "/v1/models/*", Role: domain.RoleViewer, Protocol: &openai.Model{Config: config}},
		{Method: "POST", Pattern: "/v1/completions", Role: domain.RoleViewer, Protocol: openai.NotImplemented{}},
		{Method: "POST", Pattern: "/v1/embeddings", Role: domain.RoleViewer, Protocol: openai.NotImplemented{}},
		{Method: "POST", Pattern: "/mcp", Role: domain.RoleViewer, Protocol: mcpServer(a, userData)},
		{Method: "POST", Pattern: "/v1/agui", Role: domain.RoleMember, Small: true, Protocol: &agui.Door{Config: front}},
		{Method: "POST", Pattern: "/v1/ui/chat", Role: domain.RoleMember, Small: true, Protocol: &uistream.Chat{Config: uiChat}},
		{
			Method: "GET", Pattern: "/v1/ui/chat/{id}/stream", Role: domain.RoleViewer, Small: true,
			Protocol: &uistream.Resumption{Config: uiChat},
		},
		{Method: "GET", Pattern: "/v1/agui", Role: domain.RoleViewer, Protocol: &agui.Capabilities{Version: a.flags.Version}},
	}...)
}

// responses returns the routes of the OpenAI Responses API.
func responses(a *App, config openai.Config) []handlers.ProtocolRoute {
	const all, one = "/v1/responses", "/v1/responses/{response_id}"
	member, viewer := domain.RoleMember, domain.RoleViewer
	ends := struct {
		*scheduler.Sessions
		*scheduler.Messages
	}{a.scheduling.Sessions, a.scheduling.Messages}
	return []handlers.ProtocolRoute{
		{Method: "POST", Pattern: all, Role: member, Small: true, Protocol: &openai.Responses{Config: config}},
		{Method: "GET", Pattern: one, Role: viewer, Protocol: &openai.Response{Config: config}},
		{Method: "DELETE", Pattern: one, Role: member, Protocol: &openai.ResponseDelete{Config: config, Endings: ends}, Bodyless: true},
		{
			Method: "POST", Pattern: one + "/cancel", Role: member, Bodyless: true,
			Protocol: &openai.ResponseEnd{Config: config, Endings: ends},
		},
		{Method: "GET", Pattern: one + "/input_items", Role: viewer, Protocol: &openai.ResponseInput{Config: config}},
	}
}

// mcpServer is the endpoint for MCP clients.
func mcpServer(a *App, userData *data.Service) *mcpserver.Door {
	reads := doorReads{a.store.Sessions, a.store.Approvals, a.store.Workspaces}
	return mcpserver.New(mcpserver.Config{
		Commands: mcpDoor{a.scheduling.Sessions, a.scheduling.Messages, a.scheduling.Answers, a.scheduling.Runs},
		Record:   reads, Approvals: a.store.Approvals, Data: userData, Documents: userData, Histories: a.store.Histories,
		Follow: func(f stream.Filter) *stream.Reader { return a.broker.Reader(a.store.Events, f) },
		API:    ownAPI, Keys: a.keys, PublicURL: a.flags.PublicURL, Version: a.flags.Version, Clock: a.clock,
	})
}

// frontEnds configures the endpoints for front ends: AG-UI and the AI SDK.
func frontEnds(a *App, names *rounds.SessionNames, who *auth.Authenticator, uploads *files.Service) rounds.Config {
	return rounds.Config{
		Commands: doors{a.scheduling.Sessions, a.scheduling.Messages, a.scheduling.Again, a.scheduling.Answers},
		Record:   a.store.Sessions, Approvals: a.store.Approvals, Histories: a.store.Histories, Names: names,
		Follow:       func(f stream.Filter) *stream.Reader { return a.broker.Reader(a.store.Events, f) },
		StillAllowed: who.Still, API: ownAPI, Clock: a.clock, Files: sentFiles{richText{a}, uploads},
		Catalogue: catalogueService{a},
	}
}

// ownAPI are the functions of the API that the protocols reuse.
var ownAPI = rounds.API{Failure: handlers.FailureOf, Decision: handlers.DecisionOf}

// mcpDoor is the part of the scheduler that MCP clients use.
type mcpDoor struct {
	*scheduler.Sessions
	*scheduler.Messages
	*scheduler.Answers
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
		catalogueService
	}
)

// sentFiles stores files attached to messages.
type sentFiles struct {
	richText
	*files.Service
}
