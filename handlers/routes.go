package handlers

import (
	"net/http"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
)

const (
	byViewer = domain.RoleViewer
	byMember = domain.RoleMember
	byAdmin  = domain.RoleAdmin
	byRoot   = domain.RoleRoot
	// byAnyone needs no credentials. It is written down like every other role, so that no
	// route is open by oversight.
	byAnyone domain.Role = "public"
)

// route is one line of the table: method, pattern, the least role, handler, and what a
// repetition is answered with where the answer was lost.
type route struct {
	Method  string
	Pattern string
	Role    domain.Role
	Handler http.HandlerFunc
	Rebuild edge.Rebuilder // nil: the repeat only learns that the change was applied
}

// Table has every route of the API, with its role. A route that is not here does not exist.
func (s *server) Table() []route {
	return slices.Concat(s.sessionTable(), s.eventTable(), s.userDataTable(), s.automationTable(), s.outsideTable(),
		s.peopleTable(), s.adminTable())
}

// sessionTable has the routes of sessions, approvals and their links.
func (s *server) sessionTable() []route {
	sessions, links := s.sessions, s.links
	return []route{
		{"POST", "/v1/sessions/{session_id}/retry", byMember, sessions.RetrySession, sessions.CurrentSession},
		{"POST", "/v1/sessions/{session_id}/messages/{message_id}/choose", byMember, sessions.ChooseAnswer, sessions.CurrentSession},
		{"POST", "/v1/sessions/{session_id}/fork", byMember, sessions.ForkSession, sessions.MadeSession},
		{"GET", "/v1/sessions", byViewer, sessions.ListSessions, nil},
		{"POST", "/v1/sessions", byMember, sessions.CreateSession, sessions.MadeSession},
		{"GET", "/v1/sessions/{session_id}", byViewer, sessions.GetSession, nil},
		{"PATCH", "/v1/sessions/{session_id}", byMember, sessions.UpdateSession, nil},
		{"DELETE", "/v1/sessions/{session_id}", byMember, sessions.DeleteSession, nil},
		{"POST", "/v1/sessions/{session_id}/activate", byMember, sessions.ActivateSession, sessions.CurrentSession},
		{"POST", "/v1/sessions/{session_id}/release", byMember, sessions.Steer(sessions.Steering.ReleaseSlot), sessions.CurrentSession},
		{"POST", "/v1/sessions/{session_id}/interrupt", byMember, sessions.Steer(sessions.Steering.InterruptSession), sessions.CurrentSession},
		{"POST", "/v1/sessions/{session_id}/stop", byMember, sessions.StopSession, sessions.CurrentSession},
		{"POST", "/v1/sessions/{session_id}/resume", byMember, sessions.Steer(sessions.Steering.ResumeSession), sessions.CurrentSession},
		{"GET", "/v1/sessions/{session_id}/messages", byViewer, sessions.ListMessages, nil},
		{"POST", "/v1/sessions/{session_id}/messages", byMember, sessions.SendMessage, sessions.AcceptedMessage},
		{"PATCH", "/v1/sessions/{session_id}/messages/{message_id}", byMember, sessions.EditMessage, nil},
		{"DELETE", "/v1/sessions/{session_id}/messages/{message_id}", byMember, sessions.WithdrawMessage, nil},
		{"POST", "/v1/sessions/{session_id}/validation", byMember, sessions.ResumeValidation, edge.RunAgain},
		{"POST", "/v1/sessions/{session_id}/response", byMember, sessions.ResumeResponse, edge.RunAgain},
		{"POST", "/v1/sessions/{session_id}/completion", byMember, sessions.ConfirmCompletion, edge.RunAgain},
		{"GET", "/v1/sessions/{session_id}/explain", byViewer, sessions.ExplainSession, nil},
		{"GET", "/v1/sessions/{session_id}/timeline", byViewer, sessions.GetTimeline, nil},
		{"GET", "/v1/sessions/{session_id}/export", byViewer, sessions.ExportSession, nil},
		{"GET", "/v1/slot", byViewer, sessions.GetSlot, nil},
		{"GET", "/v1/queue", byViewer, sessions.ListQueue, nil},
		{"DELETE", "/v1/queue/{session_id}", byMember, sessions.LeaveQueue, nil},
		{"GET", "/v1/approvals", byViewer, sessions.ListApprovals, nil},
		{"GET", "/v1/approvals/{approval_id}", byViewer, sessions.GetApproval, nil},
		{"POST", "/v1/approvals/{approval_id}", byMember, sessions.AnswerApproval, edge.RunAgain},
		{"GET", "/v1/commands", byViewer, sessions.ListCommands, nil},
		{"POST", "/v1/enrichments/preview", byViewer, sessions.PreviewEnrichments, nil},
		{"GET", "/v1/usage", byViewer, sessions.GetUsage, nil},
		{"POST", "/v1/approvals/{approval_id}/link", byAdmin, links.CreateLink, nil},
		{"DELETE", "/v1/approvals/{approval_id}/link", byAdmin, links.WithdrawLinks, nil},
		{"GET", "/a/{token}", byAnyone, links.ShowLink, nil},
		{"POST", "/a/{token}", byAnyone, links.AnswerLink, nil},
	}
}

// eventTable has the routes of events.
func (s *server) eventTable() []route {
	events := s.events
	return []route{
		{"GET", "/v1/sessions/{session_id}/events", byViewer, events.ListSessionEvents, nil},
		{"GET", "/v1/sessions/{session_id}/events/stream", byViewer, events.StreamSession, nil},
		{"GET", "/v1/events", byViewer, events.ListEvents, nil},
		{"GET", "/v1/events/stream", byViewer, events.StreamWorkspace, nil},
		{"POST", "/v1/stream-tickets", byViewer, events.CreateStreamTicket, nil},
		{"POST", "/v1/heartbeat", byViewer, events.SendHeartbeat, nil},
	}
}

// userDataTable has the routes of the user's data.
func (s *server) userDataTable() []route {
	data, documents, files, confirm := s.data, s.documents, s.files, s.trust
	return []route{
		{"GET", "/v1/zones", byViewer, data.ListZones, nil},
		{"POST", "/v1/zones", byMember, data.CreateZone, data.MadeZone},
		{"GET", "/v1/zones/{zone_id}", byViewer, data.GetZone, nil},
		{"PATCH", "/v1/zones/{zone_id}", byMember, data.UpdateZone, nil},
		{"DELETE", "/v1/zones/{zone_id}", byMember, data.DeleteZone, nil},
		{"POST", "/v1/zones/{zone_id}/restore", byMember, data.RestoreZone, data.CurrentZone},
		{"POST", "/v1/zones/{zone_id}/trust", byMember, confirm.ConfirmZone, data.CurrentZone},
		{"GET", "/v1/tool-types", byViewer, data.ListToolTypes, nil},
		{"POST", "/v1/tool-types", byAdmin, data.CreateToolType, nil},
		{"GET", "/v1/tool-types/{tool_type_id}", byViewer, data.GetToolType, nil},
		{"PATCH", "/v1/tool-types/{tool_type_id}", byAdmin, data.UpdateToolType, nil},
		{"DELETE", "/v1/tool-types/{tool_type_id}", byAdmin, data.DeleteToolType, nil},
		{"POST", "/v1/tool-types/{tool_type_id}/trust", byAdmin, confirm.ConfirmToolType, nil},
		{"GET", "/v1/tools", byViewer, data.ListTools, nil},
		{"POST", "/v1/tools", byMember, data.CreateTool, data.MadeTool},
		{"GET", "/v1/tools/{tool_id}", byViewer, data.GetTool, nil},
		{"PATCH", "/v1/tools/{tool_id}", byMember, data.UpdateTool, nil},
		{"DELETE", "/v1/tools/{tool_id}", byMember, data.DeleteTool, nil},
		{"POST", "/v1/tools/{tool_id}/restore", byMember, data.RestoreTool, data.CurrentTool},
		{"POST", "/v1/tools/{tool_id}/trust", byMember, confirm.ConfirmTool, data.CurrentTool},
		{"GET", "/v1/tools/{tool_id}/entries", byViewer, data.ListEntries, nil},
		{"POST", "/v1/tools/{tool_id}/entries", byMember, data.CreateEntry, data.MadeEntry},
		{"POST", "/v1/tools/{tool_id}/entries/batch", byMember, data.CreateEntries, data.MadeEntry},
		{"POST", "/v1/tools/{tool_id}/entries/import", byMember, data.ImportEntries, data.MadeEntry},
		{"GET", "/v1/tools/{tool_id}/entries/stats", byViewer, data.GetEntryStats, nil},
		{"GET", "/v1/entries/{entry_id}", byViewer, data.GetEntry, nil},
		{"PATCH", "/v1/entries/{entry_id}", byMember, data.UpdateEntry, nil},
		{"DELETE", "/v1/entries/{entry_id}", byMember, data.DeleteEntry, nil},
		{"POST", "/v1/entries/{entry_id}/restore", byMember, data.RestoreEntry, data.CurrentEntry},
		{"POST", "/v1/entries/{entry_id}/trust", byMember, confirm.ConfirmEntry, data.CurrentEntry},
		{"GET", "/v1/documents", byViewer, documents.ListDocuments, nil},
		{"POST", "/v1/documents", byMember, documents.CreateDocument, documents.MadeDocument},
		{"GET", "/v1/documents/{document_id}", byViewer, documents.GetDocument, nil},
		{"PATCH", "/v1/documents/{document_id}", byMember, documents.UpdateDocument, nil},
		{"DELETE", "/v1/documents/{document_id}", byMember, documents.DeleteDocument, nil},
		{"POST", "/v1/documents/{document_id}/publish", byMember, documents.PublishDocument, documents.CurrentDocument},
		{"POST", "/v1/documents/{document_id}/restore", byMember, documents.RestoreDocument, documents.CurrentDocument},
		{"POST", "/v1/documents/{document_id}/trust", byMember, confirm.ConfirmDocument, documents.CurrentDocument},
		{"GET", "/v1/documents/{document_id}/versions", byViewer, documents.ListDocumentVersions, nil},
		{"GET", "/v1/documents/{document_id}/versions/{version}", byViewer, documents.GetDocumentVersion, nil},
		{"GET", "/v1/search", byViewer, data.SearchData, nil},
		{"GET", "/v1/files", byViewer, files.ListFiles, nil},
		{"POST", "/v1/files", byMember, files.UploadFile, files.MadeFile},
		{"GET", "/v1/files/{file_id}", byViewer, files.GetFile, nil},
		{"DELETE", "/v1/files/{file_id}", byMember, files.DeleteFile, nil},
	}
}

// automationTable has the routes of automations.
func (s *server) automationTable() []route {
	automations := s.automations
	return []route{
		{"POST", "/v1/schedules/preview", byViewer, automations.PreviewSchedule, nil},
		{"GET", "/v1/automations", byViewer, automations.ListAutomations, nil},
		{"POST", "/v1/automations", byAdmin, automations.CreateAutomation, automations.MadeAutomation},
		{"GET", "/v1/automations/{automation_id}", byViewer, automations.GetAutomation, nil},
		{"PATCH", "/v1/automations/{automation_id}", byAdmin, automations.UpdateAutomation, nil},
		{"DELETE", "/v1/automations/{automation_id}", byAdmin, automations.DeleteAutomation, nil},
		{"POST", "/v1/automations/{automation_id}/execute", byMember, automations.ExecuteAutomation, automations.CurrentState},
		{"POST", "/v1/automations/{automation_id}/enable", byAdmin, automations.Enable(true), automations.CurrentState},
		{"POST", "/v1/automations/{automation_id}/disable", byAdmin, automations.Enable(false), automations.CurrentState},
		{"GET", "/v1/automations/{automation_id}/executions", byViewer, automations.ListAutomationRuns, nil},
		{"GET", "/v1/automations/{automation_id}/occurrences", byViewer, automations.ListOccurrences, nil},
		{"GET", "/v1/runs", byViewer, automations.ListRuns, nil},
		{"GET", "/v1/occurrences", byViewer, automations.ListAllOccurrences, nil},
		{"GET", "/v1/automations/{automation_id}/seed", byViewer, automations.GetSeed, nil},
		{"PUT", "/v1/automations/{automation_id}/seed", byAdmin, automations.SetSeed, nil},
		{"GET", "/v1/automations/{automation_id}/grants", byViewer, automations.ListGrants, nil},
		{"POST", "/v1/automations/{automation_id}/grants", byAdmin, automations.CreateGrant, nil},
		{"DELETE", "/v1/automations/{automation_id}/grants/{grant_id}", byAdmin, automations.WithdrawGrant, nil},
		{"POST", "/v1/automations/{automation_id}/webhook", byAdmin, automations.RenewWebhook, automations.CurrentState},
		{"POST", "/v1/hooks/{automation_id}/{token}", byAnyone, automations.CallWebhook, nil},
		{"GET", "/v1/hooks/{automation_id}/{token}", byAnyone, automations.ConfirmWebhook, nil},
	}
}

// outsideTable has the routes of what connects the server with others, and its agents.
func (s *server) outsideTable() []route {
	providers, connectors, webhooks, tasks, agents := s.providers, s.connectors, s.webhooks, s.tasks, s.agents
	return []route{
		{"GET", "/v1/provider-kinds", byViewer, providers.ListProviderKinds, nil},
		{"GET", "/v1/providers", byViewer, providers.ListProviders, nil},
		{"POST", "/v1/providers", byAdmin, providers.CreateProvider, nil},
		{"GET", "/v1/providers/{provider_id}", byViewer, providers.GetProvider, nil},
		{"PATCH", "/v1/providers/{provider_id}", byAdmin, providers.UpdateProvider, nil},
		{"DELETE", "/v1/providers/{provider_id}", byAdmin, providers.DeleteProvider, nil},
		{"POST", "/v1/providers/{provider_id}/test", byAdmin, providers.TestProvider, nil},
		{"GET", "/v1/providers/{provider_id}/models", byAdmin, providers.ListProviderModels, nil},
		{"GET", "/v1/tasks", byViewer, tasks.ListTasks, nil},
		{"GET", "/v1/tasks/{task_id}", byViewer, tasks.GetTask, nil},
		{"POST", "/v1/tasks/{task_id}/cancel", byMember, tasks.CancelTask, tasks.CurrentTask},
		{"POST", "/v1/callbacks/{task_id}", byAnyone, tasks.ReportTask, nil},
		{"GET", "/v1/agents", byViewer, agents.ListAgents, nil},
		{"POST", "/v1/agents", byAdmin, agents.CreateAgent, agents.MadeAgent},
		{"GET", "/v1/agents/{agent_id}", byViewer, agents.GetAgent, nil},
		{"PATCH", "/v1/agents/{agent_id}", byAdmin, agents.UpdateAgent, nil},
		{"DELETE", "/v1/agents/{agent_id}", byAdmin, agents.DeleteAgent, nil},
		{"GET", "/v1/agents/{agent_id}/versions", byViewer, agents.ListAgentVersions, nil},
		{"POST", "/v1/agents/{agent_id}/try", byMember, agents.TryAgent, nil},
		{"GET", "/v1/webhooks", byAdmin, webhooks.ListWebhooks, nil},
		{"POST", "/v1/webhooks", byAdmin, webhooks.CreateWebhook, nil},
		{"GET", "/v1/webhooks/{webhook_id}", byAdmin, webhooks.GetWebhook, nil},
		{"PATCH", "/v1/webhooks/{webhook_id}", byAdmin, webhooks.UpdateWebhook, nil},
		{"DELETE", "/v1/webhooks/{webhook_id}", byAdmin, webhooks.DeleteWebhook, nil},
		{"POST", "/v1/webhooks/{webhook_id}/test", byAdmin, webhooks.TestWebhook, nil},
		{"POST", "/v1/webhooks/{webhook_id}/rotate", byAdmin, webhooks.RotateWebhookSecret, nil},
		{"GET", "/v1/webhooks/{webhook_id}/deliveries", byAdmin, webhooks.ListDeliveries, nil},
		{"POST", "/v1/webhooks/{webhook_id}/replay", byAdmin, webhooks.ReplayWebhook, nil},
		{"GET", "/v1/connectors", byAdmin, connectors.ListConnectors, nil},
		{"POST", "/v1/connectors", byAdmin, connectors.CreateConnector, nil},
		{"POST", "/v1/connectors/preview", byAdmin, connectors.PreviewConnector, nil},
		{"GET", "/v1/connectors/{connector_id}", byAdmin, connectors.GetConnector, nil},
		{"PATCH", "/v1/connectors/{connector_id}", byAdmin, connectors.UpdateConnector, nil},
		{"DELETE", "/v1/connectors/{connector_id}", byAdmin, connectors.DeleteConnector, nil},
		{"POST", "/v1/connectors/{connector_id}/refresh", byAdmin, connectors.RefreshConnector, nil},
		{"POST", "/v1/connectors/{connector_id}/test", byAdmin, connectors.TestConnector, nil},
		{"POST", "/v1/connectors/{connector_id}/sign-in", byAdmin, connectors.BeginSignIn, nil},
		{"GET", "/v1/connectors/sign-in/callback", byAnyone, connectors.ReturnFromSignIn, nil},
		{"POST", "/v1/connectors/sign-in/callback", byAnyone, connectors.ConfirmSignIn, nil},
		{"PATCH", "/v1/connectors/{connector_id}/commands/{command_name}", byAdmin, connectors.UpdateConnectorCommand, nil},
	}
}

// peopleTable has the routes of people, and their settings.
func (s *server) peopleTable() []route {
	people, settings := s.people, s.settings
	return []route{
		{"GET", "/v1/settings", byViewer, settings.GetSettings, nil},
		{"PATCH", "/v1/settings", byAdmin, settings.UpdateSettings, nil},
		{"GET", "/v1/prompt-chunks", byViewer, settings.ListPromptChunks, nil},
		{"GET", "/v1/keys", byAdmin, settings.ListKeys, nil},
		{"POST", "/v1/keys", byAdmin, settings.CreateKey, nil},
		{"DELETE", "/v1/keys/{key_id}", byAdmin, settings.RevokeKey, nil},
		{"GET", "/v1/sign-in", byAnyone, people.WaysIn, nil},
		{"POST", "/v1/sign-in", byAnyone, people.SignInWithKey, nil},
		{"GET", "/v1/sign-in/oidc", byAnyone, people.BeginSignIn, nil},
		{"GET", "/v1/sign-in/callback", byAnyone, people.EndSignIn, nil},
		{"POST", "/v1/sign-out", byAnyone, people.SignOut, nil},
		{"GET", "/v1/me", byViewer, people.Me, nil},
		{"GET", "/v1/me/sessions", byViewer, people.ListSignIns, nil},
		{"DELETE", "/v1/me/sessions", byViewer, people.EndSignIns, nil},
		{"DELETE", "/v1/me/sessions/{sign_in_id}", byViewer, people.EndSignInByID, nil},
		{"GET", "/v1/me/passkeys", byViewer, people.ListPasskeys, nil},
		{"POST", "/v1/me/passkeys", byViewer, people.CreatePasskey, nil},
		{"POST", "/v1/me/passkeys/registration", byViewer, people.BeginPasskey, nil},
		{"DELETE", "/v1/me/passkeys/{passkey_id}", byViewer, people.DeletePasskey, nil},
		{"GET", "/v1/push-key", byViewer, people.PushKey, nil},
		{"GET", "/v1/me/push-subscriptions", byViewer, people.ListPushes, nil},
		{"POST", "/v1/me/push-subscriptions", byViewer, people.SubscribePush, nil},
		{"DELETE", "/v1/me/push-subscriptions/{push_subscription_id}", byViewer, people.DeletePush, nil},
		{"POST", "/v1/me/push-subscriptions/{push_subscription_id}/test", byViewer, people.TestPush, nil},
		{"GET", "/v1/people", byAdmin, people.ListPeople, nil},
		{"POST", "/v1/people/tokens", byViewer, people.CreatePersonToken, nil},
		{"GET", "/v1/people/{person_id}", byAdmin, people.GetPerson, nil},
		{"PATCH", "/v1/people/{person_id}", byAdmin, people.UpdatePerson, nil},
		{"GET", "/v1/people/{person_id}/sessions", byAdmin, people.ListPersonSessions, nil},
		{"DELETE", "/v1/people/{person_id}/tokens", byViewer, people.RevokePersonTokens, nil},
		{"DELETE", "/v1/people/{person_id}/passkeys", byAdmin, people.ForgetPasskeys, nil},
	}
}

// adminTable has the routes of the server itself.
func (s *server) adminTable() []route {
	process := s.process
	return []route{
		{"GET", "/v1/workspaces", byRoot, process.ListWorkspaces, nil},
		{"POST", "/v1/workspaces", byRoot, process.CreateWorkspace, nil},
		{"GET", "/v1/workspaces/{workspace_id}", byRoot, process.GetWorkspace, nil},
		{"GET", "/v1/admin/invariants", byAdmin, process.CheckInvariants, nil},
		{"GET", "/v1/admin/status", byAdmin, process.GetStatus, nil},
		{"GET", "/healthz", byAnyone, process.GetHealth, nil},
		{"GET", "/readyz", byAnyone, process.GetReadiness, nil},
		{"GET", "/version", byAnyone, process.GetVersion, nil},
		{"GET", "/metrics", byRoot, process.GetMetrics, nil},
		{"GET", "/openapi.yaml", byAnyone, process.GetContract, nil},
		{"GET", "/openapi.json", byAnyone, process.GetContractAsJSON, nil},
		{"GET", "/problems", byAnyone, process.ProblemPage, nil},
		{"GET", "/problems/{code}", byAnyone, process.ProblemPage, nil},
	}
}

// Protocols are the doors for the clients of other protocols, to the same sessions.
type Protocols struct {
	ChatCompletions, Models, Model, Unimplemented                              edge.Protocol
	Responses, Response, ResponseDeletion, ResponseCancellation, ResponseInput edge.Protocol
	AGUI, AGUICapabilities, UIChat, UIChatStream, MCP                          edge.Protocol
}

// protocolTable has the routes of those protocols that there are.
func protocolTable(p Protocols) []edge.ProtocolRoute {
	all := []edge.ProtocolRoute{
		{Method: "POST", Pattern: "/v1/chat/completions", Role: byMember, Protocol: p.ChatCompletions, Small: true},
		{Method: "GET", Pattern: "/v1/models", Role: byViewer, Protocol: p.Models},
		{Method: "GET", Pattern: "/v1/models/*", Role: byViewer, Protocol: p.Model},
		{Method: "POST", Pattern: "/v1/completions", Role: byViewer, Protocol: p.Unimplemented},
		{Method: "POST", Pattern: "/v1/embeddings", Role: byViewer, Protocol: p.Unimplemented},
		{Method: "POST", Pattern: "/v1/responses", Role: byMember, Protocol: p.Responses, Small: true},
		{Method: "GET", Pattern: "/v1/responses/{response_id}", Role: byViewer, Protocol: p.Response},
		{Method: "DELETE", Pattern: "/v1/responses/{response_id}", Role: byMember, Protocol: p.ResponseDeletion, Bodyless: true},
		{Method: "POST", Pattern: "/v1/responses/{response_id}/cancel", Role: byMember, Protocol: p.ResponseCancellation, Bodyless: true},
		{Method: "GET", Pattern: "/v1/responses/{response_id}/input_items", Role: byViewer, Protocol: p.ResponseInput},
		{Method: "POST", Pattern: "/mcp", Role: byViewer, Protocol: p.MCP},
		{Method: "POST", Pattern: "/v1/agui", Role: byMember, Protocol: p.AGUI, Small: true},
		{Method: "GET", Pattern: "/v1/agui", Role: byViewer, Protocol: p.AGUICapabilities},
		{Method: "POST", Pattern: "/v1/ui/chat", Role: byMember, Protocol: p.UIChat, Small: true},
		{Method: "GET", Pattern: "/v1/ui/chat/{id}/stream", Role: byViewer, Protocol: p.UIChatStream, Small: true},
	}
	return slices.DeleteFunc(all, func(r edge.ProtocolRoute) bool { return r.Protocol == nil })
}
