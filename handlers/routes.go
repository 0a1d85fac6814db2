package handlers

import (
	"net/http"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

const (
	viewer = domain.RoleViewer
	member = domain.RoleMember
	admin  = domain.RoleAdmin
	root   = domain.RoleRoot
	// public needs no credentials. It is written down like every other role, so that no
	// route is open by oversight.
	public domain.Role = "public"
)

// route is one line of the table: method, pattern, the least role, handler, and what a
// repetition is answered with where the answer was lost.
type route struct {
	method  string
	pattern string
	role    domain.Role
	handler http.HandlerFunc
	rebuild rebuilder // nil: the repeat only learns that the change was applied
}

// Protocols are the doors for the clients of other protocols, to the same sessions.
type Protocols struct {
	ChatCompletions, Models, Model, Unimplemented                              Protocol
	Responses, Response, ResponseDeletion, ResponseCancellation, ResponseInput Protocol
	AGUI, AGUICapabilities, UIChat, UIChatStream, MCP                          Protocol
}

// protocolTable has the routes of those protocols that there are.
func protocolTable(p Protocols) []ProtocolRoute {
	all := []ProtocolRoute{
		{Method: "POST", Pattern: "/v1/chat/completions", Role: member, Protocol: p.ChatCompletions, Small: true},
		{Method: "GET", Pattern: "/v1/models", Role: viewer, Protocol: p.Models},
		{Method: "GET", Pattern: "/v1/models/*", Role: viewer, Protocol: p.Model},
		{Method: "POST", Pattern: "/v1/completions", Role: viewer, Protocol: p.Unimplemented},
		{Method: "POST", Pattern: "/v1/embeddings", Role: viewer, Protocol: p.Unimplemented},
		{Method: "POST", Pattern: "/v1/responses", Role: member, Protocol: p.Responses, Small: true},
		{Method: "GET", Pattern: "/v1/responses/{response_id}", Role: viewer, Protocol: p.Response},
		{Method: "DELETE", Pattern: "/v1/responses/{response_id}", Role: member, Protocol: p.ResponseDeletion, Bodyless: true},
		{Method: "POST", Pattern: "/v1/responses/{response_id}/cancel", Role: member, Protocol: p.ResponseCancellation, Bodyless: true},
		{Method: "GET", Pattern: "/v1/responses/{response_id}/input_items", Role: viewer, Protocol: p.ResponseInput},
		{Method: "POST", Pattern: "/mcp", Role: viewer, Protocol: p.MCP},
		{Method: "POST", Pattern: "/v1/agui", Role: member, Protocol: p.AGUI, Small: true},
		{Method: "GET", Pattern: "/v1/agui", Role: viewer, Protocol: p.AGUICapabilities},
		{Method: "POST", Pattern: "/v1/ui/chat", Role: member, Protocol: p.UIChat, Small: true},
		{Method: "GET", Pattern: "/v1/ui/chat/{id}/stream", Role: viewer, Protocol: p.UIChatStream, Small: true},
	}
	return slices.DeleteFunc(all, func(r ProtocolRoute) bool { return r.Protocol == nil })
}

// table has every route of the API, with its role. A route that is not here does not exist.
func (s *server) table() []route {
	return slices.Concat(s.sessionTable(), s.eventTable(), s.userDataTable(), s.automationTable(), s.outsideTable(),
		s.peopleTable(), s.adminTable())
}

// sessionTable has the routes of sessions, approvals and their links.
func (s *server) sessionTable() []route {
	sessions, links := s.sessions, s.links
	return []route{
		{"POST", "/v1/sessions/{session_id}/retry", member, sessions.retrySession, sessions.currentSession},
		{"POST", "/v1/sessions/{session_id}/messages/{message_id}/choose", member, sessions.chooseAnswer, sessions.currentSession},
		{"POST", "/v1/sessions/{session_id}/fork", member, sessions.forkSession, sessions.madeSession},
		{"GET", "/v1/sessions", viewer, sessions.listSessions, nil},
		{"POST", "/v1/sessions", member, sessions.createSession, sessions.madeSession},
		{"GET", "/v1/sessions/{session_id}", viewer, sessions.getSession, nil},
		{"PATCH", "/v1/sessions/{session_id}", member, sessions.updateSession, nil},
		{"DELETE", "/v1/sessions/{session_id}", member, sessions.deleteSession, nil},
		{"POST", "/v1/sessions/{session_id}/activate", member, sessions.activateSession, sessions.currentSession},
		{"POST", "/v1/sessions/{session_id}/release", member, sessions.steer(sessions.Steering.ReleaseSlot), sessions.currentSession},
		{"POST", "/v1/sessions/{session_id}/interrupt", member, sessions.steer(sessions.Steering.InterruptSession), sessions.currentSession},
		{"POST", "/v1/sessions/{session_id}/stop", member, sessions.stopSession, sessions.currentSession},
		{"POST", "/v1/sessions/{session_id}/resume", member, sessions.steer(sessions.Steering.ResumeSession), sessions.currentSession},
		{"GET", "/v1/sessions/{session_id}/messages", viewer, sessions.listMessages, nil},
		{"POST", "/v1/sessions/{session_id}/messages", member, sessions.sendMessage, sessions.acceptedMessage},
		{"PATCH", "/v1/sessions/{session_id}/messages/{message_id}", member, sessions.editMessage, nil},
		{"DELETE", "/v1/sessions/{session_id}/messages/{message_id}", member, sessions.withdrawMessage, nil},
		{"POST", "/v1/sessions/{session_id}/validation", member, sessions.resumeValidation, again},
		{"POST", "/v1/sessions/{session_id}/response", member, sessions.resumeResponse, again},
		{"POST", "/v1/sessions/{session_id}/completion", member, sessions.confirmCompletion, again},
		{"GET", "/v1/sessions/{session_id}/explain", viewer, sessions.explainSession, nil},
		{"GET", "/v1/sessions/{session_id}/timeline", viewer, sessions.getTimeline, nil},
		{"GET", "/v1/sessions/{session_id}/export", viewer, sessions.exportSession, nil},
		{"GET", "/v1/slot", viewer, sessions.getSlot, nil},
		{"GET", "/v1/queue", viewer, sessions.listQueue, nil},
		{"DELETE", "/v1/queue/{session_id}", member, sessions.leaveQueue, nil},
		{"GET", "/v1/approvals", viewer, sessions.listApprovals, nil},
		{"GET", "/v1/approvals/{approval_id}", viewer, sessions.getApproval, nil},
		{"POST", "/v1/approvals/{approval_id}", member, sessions.answerApproval, again},
		{"GET", "/v1/commands", viewer, sessions.listCommands, nil},
		{"POST", "/v1/enrichments/preview", viewer, sessions.previewEnrichments, nil},
		{"GET", "/v1/usage", viewer, sessions.getUsage, nil},
		{"POST", "/v1/approvals/{approval_id}/link", admin, links.createLink, nil},
		{"DELETE", "/v1/approvals/{approval_id}/link", admin, links.withdrawLinks, nil},
		{"GET", "/a/{token}", public, links.showLink, nil},
		{"POST", "/a/{token}", public, links.answerLink, nil},
	}
}

// eventTable has the routes of events.
func (s *server) eventTable() []route {
	events := s.events
	return []route{
		{"GET", "/v1/sessions/{session_id}/events", viewer, events.listSessionEvents, nil},
		{"GET", "/v1/sessions/{session_id}/events/stream", viewer, events.streamSession, nil},
		{"GET", "/v1/events", viewer, events.listEvents, nil},
		{"GET", "/v1/events/stream", viewer, events.streamWorkspace, nil},
		{"POST", "/v1/stream-tickets", viewer, events.createStreamTicket, nil},
		{"POST", "/v1/heartbeat", viewer, events.sendHeartbeat, nil},
	}
}

// userDataTable has the routes of the user's data.
func (s *server) userDataTable() []route {
	data, documents, files := s.data, s.documents, s.files
	return []route{
		{"GET", "/v1/zones", viewer, data.listZones, nil},
		{"POST", "/v1/zones", member, data.createZone, data.madeZone},
		{"GET", "/v1/zones/{zone_id}", viewer, data.getZone, nil},
		{"PATCH", "/v1/zones/{zone_id}", member, data.updateZone, nil},
		{"DELETE", "/v1/zones/{zone_id}", member, data.deleteZone, nil},
		{"POST", "/v1/zones/{zone_id}/restore", member, data.restoreZone, data.currentZone},
		{"GET", "/v1/tool-types", viewer, data.listToolTypes, nil},
		{"POST", "/v1/tool-types", admin, data.createToolType, nil},
		{"GET", "/v1/tool-types/{tool_type_id}", viewer, data.getToolType, nil},
		{"PATCH", "/v1/tool-types/{tool_type_id}", admin, data.updateToolType, nil},
		{"DELETE", "/v1/tool-types/{tool_type_id}", admin, data.deleteToolType, nil},
		{"GET", "/v1/tools", viewer, data.listTools, nil},
		{"POST", "/v1/tools", member, data.createTool, data.madeTool},
		{"GET", "/v1/tools/{tool_id}", viewer, data.getTool, nil},
		{"PATCH", "/v1/tools/{tool_id}", member, data.updateTool, nil},
		{"DELETE", "/v1/tools/{tool_id}", member, data.deleteTool, nil},
		{"POST", "/v1/tools/{tool_id}/restore", member, data.restoreTool, data.currentTool},
		{"GET", "/v1/tools/{tool_id}/entries", viewer, data.listEntries, nil},
		{"POST", "/v1/tools/{tool_id}/entries", member, data.createEntry, data.madeEntry},
		{"POST", "/v1/tools/{tool_id}/entries/batch", member, data.createEntries, data.madeEntry},
		{"POST", "/v1/tools/{tool_id}/entries/import", member, data.importEntries, data.madeEntry},
		{"GET", "/v1/tools/{tool_id}/entries/stats", viewer, data.getEntryStats, nil},
		{"GET", "/v1/entries/{entry_id}", viewer, data.getEntry, nil},
		{"PATCH", "/v1/entries/{entry_id}", member, data.updateEntry, nil},
		{"DELETE", "/v1/entries/{entry_id}", member, data.deleteEntry, nil},
		{"POST", "/v1/entries/{entry_id}/restore", member, data.restoreEntry, data.currentEntry},
		{"GET", "/v1/documents", viewer, documents.listDocuments, nil},
		{"POST", "/v1/documents", member, documents.createDocument, documents.madeDocument},
		{"GET", "/v1/documents/{document_id}", viewer, documents.getDocument, nil},
		{"PATCH", "/v1/documents/{document_id}", member, documents.updateDocument, nil},
		{"DELETE", "/v1/documents/{document_id}", member, documents.deleteDocument, nil},
		{"POST", "/v1/documents/{document_id}/publish", member, documents.publishDocument, documents.currentDocument},
		{"POST", "/v1/documents/{document_id}/restore", member, documents.restoreDocument, documents.currentDocument},
		{"GET", "/v1/documents/{document_id}/versions", viewer, documents.listDocumentVersions, nil},
		{"GET", "/v1/documents/{document_id}/versions/{version}", viewer, documents.getDocumentVersion, nil},
		{"GET", "/v1/search", viewer, data.search, nil},
		{"GET", "/v1/files", viewer, files.listFiles, nil},
		{"POST", "/v1/files", member, files.uploadFile, files.madeFile},
		{"GET", "/v1/files/{file_id}", viewer, files.getFile, nil},
		{"DELETE", "/v1/files/{file_id}", member, files.deleteFile, nil},
	}
}

// automationTable has the routes of automations.
func (s *server) automationTable() []route {
	automations := s.automations
	return []route{
		{"POST", "/v1/schedules/preview", viewer, automations.previewSchedule, nil},
		{"GET", "/v1/automations", viewer, automations.listAutomations, nil},
		{"POST", "/v1/automations", admin, automations.createAutomation, automations.madeAutomation},
		{"GET", "/v1/automations/{automation_id}", viewer, automations.getAutomation, nil},
		{"PATCH", "/v1/automations/{automation_id}", admin, automations.updateAutomation, nil},
		{"DELETE", "/v1/automations/{automation_id}", admin, automations.deleteAutomation, nil},
		{"POST", "/v1/automations/{automation_id}/execute", member, automations.executeAutomation, automations.currentState},
		{"POST", "/v1/automations/{automation_id}/enable", admin, automations.enable(true), automations.currentState},
		{"POST", "/v1/automations/{automation_id}/disable", admin, automations.enable(false), automations.currentState},
		{"GET", "/v1/automations/{automation_id}/executions", viewer, automations.listAutomationRuns, nil},
		{"GET", "/v1/automations/{automation_id}/occurrences", viewer, automations.listOccurrences, nil},
		{"GET", "/v1/runs", viewer, automations.listRuns, nil},
		{"GET", "/v1/occurrences", viewer, automations.listAllOccurrences, nil},
		{"GET", "/v1/automations/{automation_id}/seed", viewer, automations.getSeed, nil},
		{"PUT", "/v1/automations/{automation_id}/seed", admin, automations.setSeed, nil},
		{"GET", "/v1/automations/{automation_id}/grants", viewer, automations.listGrants, nil},
		{"POST", "/v1/automations/{automation_id}/grants", admin, automations.createGrant, nil},
		{"DELETE", "/v1/automations/{automation_id}/grants/{grant_id}", admin, automations.withdrawGrant, nil},
		{"POST", "/v1/automations/{automation_id}/webhook", admin, automations.renewWebhook, automations.currentState},
		{"POST", "/v1/hooks/{automation_id}/{token}", public, automations.callWebhook, nil},
		{"GET", "/v1/hooks/{automation_id}/{token}", public, automations.confirmWebhook, nil},
	}
}

// outsideTable has the routes of what connects the server with others, and its agents.
func (s *server) outsideTable() []route {
	providers, connectors, webhooks, tasks, agents := s.providers, s.connectors, s.webhooks, s.tasks, s.agents
	return []route{
		{"GET", "/v1/provider-kinds", viewer, providers.listProviderKinds, nil},
		{"GET", "/v1/providers", viewer, providers.listProviders, nil},
		{"POST", "/v1/providers", admin, providers.createProvider, nil},
		{"GET", "/v1/providers/{provider_id}", viewer, providers.getProvider, nil},
		{"PATCH", "/v1/providers/{provider_id}", admin, providers.updateProvider, nil},
		{"DELETE", "/v1/providers/{provider_id}", admin, providers.deleteProvider, nil},
		{"POST", "/v1/providers/{provider_id}/test", admin, providers.testProvider, nil},
		{"GET", "/v1/providers/{provider_id}/models", admin, providers.listProviderModels, nil},
		{"GET", "/v1/tasks", viewer, tasks.listTasks, nil},
		{"GET", "/v1/tasks/{task_id}", viewer, tasks.getTask, nil},
		{"POST", "/v1/tasks/{task_id}/cancel", member, tasks.cancelTask, tasks.currentTask},
		{"POST", "/v1/callbacks/{task_id}", public, tasks.reportTask, nil},
		{"GET", "/v1/agents", viewer, agents.listAgents, nil},
		{"POST", "/v1/agents", admin, agents.createAgent, agents.madeAgent},
		{"GET", "/v1/agents/{agent_id}", viewer, agents.getAgent, nil},
		{"PATCH", "/v1/agents/{agent_id}", admin, agents.updateAgent, nil},
		{"DELETE", "/v1/agents/{agent_id}", admin, agents.deleteAgent, nil},
		{"GET", "/v1/agents/{agent_id}/versions", viewer, agents.listAgentVersions, nil},
		{"POST", "/v1/agents/{agent_id}/try", member, agents.tryAgent, nil},
		{"GET", "/v1/webhooks", admin, webhooks.listWebhooks, nil},
		{"POST", "/v1/webhooks", admin, webhooks.createWebhook, nil},
		{"GET", "/v1/webhooks/{webhook_id}", admin, webhooks.getWebhook, nil},
		{"PATCH", "/v1/webhooks/{webhook_id}", admin, webhooks.updateWebhook, nil},
		{"DELETE", "/v1/webhooks/{webhook_id}", admin, webhooks.deleteWebhook, nil},
		{"POST", "/v1/webhooks/{webhook_id}/test", admin, webhooks.testWebhook, nil},
		{"POST", "/v1/webhooks/{webhook_id}/rotate", admin, webhooks.rotateWebhookSecret, nil},
		{"GET", "/v1/webhooks/{webhook_id}/deliveries", admin, webhooks.listDeliveries, nil},
		{"POST", "/v1/webhooks/{webhook_id}/replay", admin, webhooks.replayWebhook, nil},
		{"GET", "/v1/connectors", admin, connectors.listConnectors, nil},
		{"POST", "/v1/connectors", admin, connectors.createConnector, nil},
		{"POST", "/v1/connectors/preview", admin, connectors.previewConnector, nil},
		{"GET", "/v1/connectors/{connector_id}", admin, connectors.getConnector, nil},
		{"PATCH", "/v1/connectors/{connector_id}", admin, connectors.updateConnector, nil},
		{"DELETE", "/v1/connectors/{connector_id}", admin, connectors.deleteConnector, nil},
		{"POST", "/v1/connectors/{connector_id}/refresh", admin, connectors.refreshConnector, nil},
		{"POST", "/v1/connectors/{connector_id}/test", admin, connectors.testConnector, nil},
		{"POST", "/v1/connectors/{connector_id}/sign-in", admin, connectors.signIn, nil},
		{"GET", "/v1/connectors/sign-in/callback", public, connectors.returnFromSignIn, nil},
		{"POST", "/v1/connectors/sign-in/callback", public, connectors.confirmSignIn, nil},
		{"PATCH", "/v1/connectors/{connector_id}/commands/{command_name}", admin, connectors.updateConnectorCommand, nil},
	}
}

// peopleTable has the routes of people, and their settings.
func (s *server) peopleTable() []route {
	people, settings := s.people, s.settings
	return []route{
		{"GET", "/v1/settings", viewer, settings.getSettings, nil},
		{"PATCH", "/v1/settings", admin, settings.updateSettings, nil},
		{"GET", "/v1/prompt-chunks", viewer, settings.listPromptChunks, nil},
		{"GET", "/v1/keys", admin, settings.listKeys, nil},
		{"POST", "/v1/keys", admin, settings.createKey, nil},
		{"DELETE", "/v1/keys/{key_id}", admin, settings.revokeKey, nil},
		{"GET", "/v1/sign-in", public, people.waysIn, nil},
		{"POST", "/v1/sign-in", public, people.signInWithKey, nil},
		{"GET", "/v1/sign-in/oidc", public, people.beginSignIn, nil},
		{"GET", "/v1/sign-in/callback", public, people.endSignIn, nil},
		{"POST", "/v1/sign-out", public, people.signOut, nil},
		{"GET", "/v1/me", viewer, people.me, nil},
		{"GET", "/v1/me/sessions", viewer, people.listSignIns, nil},
		{"DELETE", "/v1/me/sessions", viewer, people.endSignIns, nil},
		{"DELETE", "/v1/me/sessions/{sign_in_id}", viewer, people.endSignInByID, nil},
		{"GET", "/v1/me/passkeys", viewer, people.listPasskeys, nil},
		{"POST", "/v1/me/passkeys", viewer, people.createPasskey, nil},
		{"POST", "/v1/me/passkeys/registration", viewer, people.beginPasskey, nil},
		{"DELETE", "/v1/me/passkeys/{passkey_id}", viewer, people.deletePasskey, nil},
		{"GET", "/v1/push-key", viewer, people.pushKey, nil},
		{"GET", "/v1/me/push-subscriptions", viewer, people.listPushes, nil},
		{"POST", "/v1/me/push-subscriptions", viewer, people.subscribePush, nil},
		{"DELETE", "/v1/me/push-subscriptions/{push_subscription_id}", viewer, people.deletePush, nil},
		{"POST", "/v1/me/push-subscriptions/{push_subscription_id}/test", viewer, people.testPush, nil},
		{"DELETE", "/v1/people/{person_id}/passkeys", admin, people.forgetPasskeys, nil},
	}
}

// adminTable has the routes of the server itself.
func (s *server) adminTable() []route {
	process := s.process
	return []route{
		{"GET", "/v1/workspaces", root, process.listWorkspaces, nil},
		{"POST", "/v1/workspaces", root, process.createWorkspace, nil},
		{"GET", "/v1/workspaces/{workspace_id}", root, process.getWorkspace, nil},
		{"GET", "/v1/admin/invariants", admin, process.checkInvariants, nil},
		{"GET", "/v1/admin/status", admin, process.getStatus, nil},
		{"GET", "/healthz", public, process.getHealth, nil},
		{"GET", "/readyz", public, process.getReadiness, nil},
		{"GET", "/version", public, process.getVersion, nil},
		{"GET", "/metrics", root, process.getMetrics, nil},
		{"GET", "/openapi.yaml", public, process.getContract, nil},
		{"GET", "/openapi.json", public, process.getContractAsJSON, nil},
		{"GET", "/problems", public, process.problemPage, nil},
		{"GET", "/problems/{code}", public, process.problemPage, nil},
	}
}
