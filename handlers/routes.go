package handlers

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

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

// route is one line of the table: method, pattern, the least role, handler.
type route struct {
	method  string
	pattern string
	role    domain.Role
	handler http.HandlerFunc
}

func (s *server) table() []route {
	return []route{
		{"GET", "/v1/sessions", viewer, s.listSessions},
		{"POST", "/v1/sessions", member, s.createSession},
		{"GET", "/v1/sessions/{session_id}", viewer, s.getSession},
		{"PATCH", "/v1/sessions/{session_id}", member, s.updateSession},
		{"DELETE", "/v1/sessions/{session_id}", member, s.deleteSession},
		{"POST", "/v1/sessions/{session_id}/activate", member, s.activateSession},
		{"POST", "/v1/sessions/{session_id}/release", member, s.steer(s.Steering.ReleaseSlot)},
		{"POST", "/v1/sessions/{session_id}/interrupt", member, s.steer(s.Steering.InterruptSession)},
		{"POST", "/v1/sessions/{session_id}/retry", member, s.steer(s.Steering.RetrySession)},
		{"POST", "/v1/sessions/{session_id}/stop", member, s.stopSession},
		{"POST", "/v1/sessions/{session_id}/resume", member, s.steer(s.Steering.ResumeSession)},
		{"GET", "/v1/sessions/{session_id}/messages", viewer, s.listMessages},
		{"POST", "/v1/sessions/{session_id}/messages", member, s.sendMessage},
		{"PATCH", "/v1/sessions/{session_id}/messages/{message_id}", member, s.editMessage},
		{"DELETE", "/v1/sessions/{session_id}/messages/{message_id}", member, s.withdrawMessage},
		{"POST", "/v1/sessions/{session_id}/validation", member, s.resumeValidation},
		{"POST", "/v1/sessions/{session_id}/response", member, s.resumeResponse},
		{"POST", "/v1/sessions/{session_id}/completion", member, s.confirmCompletion},
		{"GET", "/v1/sessions/{session_id}/explain", viewer, s.explainSession},
		{"GET", "/v1/sessions/{session_id}/timeline", viewer, s.getTimeline},
		{"GET", "/v1/sessions/{session_id}/export", viewer, s.exportSession},
		{"GET", "/v1/sessions/{session_id}/events", viewer, s.listSessionEvents},
		{"GET", "/v1/sessions/{session_id}/events/stream", viewer, s.streamSession},
		{"GET", "/v1/events", viewer, s.listEvents},
		{"GET", "/v1/events/stream", viewer, s.streamWorkspace},
		{"POST", "/v1/stream-tickets", viewer, s.createStreamTicket},
		{"POST", "/v1/heartbeat", viewer, s.sendHeartbeat},
		{"GET", "/v1/slot", viewer, s.getSlot},
		{"GET", "/v1/queue", viewer, s.listQueue},
		{"DELETE", "/v1/queue/{session_id}", member, s.leaveQueue},
		{"GET", "/v1/approvals", viewer, s.listApprovals},
		{"GET", "/v1/approvals/{approval_id}", viewer, s.getApproval},
		{"POST", "/v1/approvals/{approval_id}", member, s.answerApproval},
		{"GET", "/v1/zones", viewer, s.listZones},
		{"POST", "/v1/zones", member, s.createZone},
		{"GET", "/v1/zones/{zone_id}", viewer, s.getZone},
		{"PATCH", "/v1/zones/{zone_id}", member, s.updateZone},
		{"DELETE", "/v1/zones/{zone_id}", member, s.deleteZone},
		{"POST", "/v1/zones/{zone_id}/restore", member, s.restoreZone},
		{"GET", "/v1/tool-types", viewer, s.listToolTypes},
		{"POST", "/v1/tool-types", admin, s.createToolType},
		{"GET", "/v1/tool-types/{tool_type_id}", viewer, s.getToolType},
		{"PATCH", "/v1/tool-types/{tool_type_id}", admin, s.updateToolType},
		{"DELETE", "/v1/tool-types/{tool_type_id}", admin, s.deleteToolType},
		{"GET", "/v1/tools", viewer, s.listTools},
		{"POST", "/v1/tools", member, s.createTool},
		{"GET", "/v1/tools/{tool_id}", viewer, s.getTool},
		{"PATCH", "/v1/tools/{tool_id}", member, s.updateTool},
		{"DELETE", "/v1/tools/{tool_id}", member, s.deleteTool},
		{"POST", "/v1/tools/{tool_id}/restore", member, s.restoreTool},
		{"GET", "/v1/tools/{tool_id}/entries", viewer, s.listEntries},
		{"POST", "/v1/tools/{tool_id}/entries", member, s.createEntry},
		{"POST", "/v1/tools/{tool_id}/entries/batch", member, s.createEntries},
		{"POST", "/v1/tools/{tool_id}/entries/import", member, s.importEntries},
		{"GET", "/v1/tools/{tool_id}/entries/stats", viewer, s.getEntryStats},
		{"GET", "/v1/entries/{entry_id}", viewer, s.getEntry},
		{"PATCH", "/v1/entries/{entry_id}", member, s.updateEntry},
		{"DELETE", "/v1/entries/{entry_id}", member, s.deleteEntry},
		{"POST", "/v1/entries/{entry_id}/restore", member, s.restoreEntry},
		{"GET", "/v1/documents", viewer, s.listDocuments},
		{"POST", "/v1/documents", member, s.createDocument},
		{"GET", "/v1/documents/{document_id}", viewer, s.getDocument},
		{"PATCH", "/v1/documents/{document_id}", member, s.updateDocument},
		{"DELETE", "/v1/documents/{document_id}", member, s.deleteDocument},
		{"POST", "/v1/documents/{document_id}/publish", member, s.publishDocument},
		{"POST", "/v1/documents/{document_id}/restore", member, s.restoreDocument},
		{"GET", "/v1/documents/{document_id}/versions", viewer, s.listDocumentVersions},
		{"GET", "/v1/documents/{document_id}/versions/{version}", viewer, s.getDocumentVersion},
		{"GET", "/v1/search", viewer, s.search},
		{"GET", "/v1/commands", viewer, s.listCommands},
		{"POST", "/v1/enrichments/preview", viewer, s.previewEnrichments},
		{"POST", "/v1/schedules/preview", viewer, s.previewSchedule},
		{"GET", "/v1/automations", viewer, s.listAutomations},
		{"POST", "/v1/automations", admin, s.createAutomation},
		{"GET", "/v1/automations/{automation_id}", viewer, s.getAutomation},
		{"PATCH", "/v1/automations/{automation_id}", admin, s.updateAutomation},
		{"DELETE", "/v1/automations/{automation_id}", admin, s.deleteAutomation},
		{"POST", "/v1/automations/{automation_id}/execute", member, s.executeAutomation},
		{"POST", "/v1/automations/{automation_id}/enable", admin, s.enable(true)},
		{"POST", "/v1/automations/{automation_id}/disable", admin, s.enable(false)},
		{"GET", "/v1/automations/{automation_id}/executions", viewer, s.listAutomationRuns},
		{"GET", "/v1/automations/{automation_id}/occurrences", viewer, s.listOccurrences},
		{"GET", "/v1/runs", viewer, s.listRuns},
		{"GET", "/v1/occurrences", viewer, s.listAllOccurrences},
		{"GET", "/v1/automations/{automation_id}/seed", viewer, s.getSeed},
		{"PUT", "/v1/automations/{automation_id}/seed", admin, s.setSeed},
		{"GET", "/v1/automations/{automation_id}/grants", viewer, s.listGrants},
		{"POST", "/v1/automations/{automation_id}/grants", admin, s.createGrant},
		{"DELETE", "/v1/automations/{automation_id}/grants/{grant_id}", admin, s.withdrawGrant},
		{"POST", "/v1/automations/{automation_id}/webhook", admin, s.renewWebhook},
		{"POST", "/v1/hooks/{automation_id}/{token}", public, s.callWebhook},
		{"GET", "/v1/provider-kinds", viewer, s.listProviderKinds},
		{"GET", "/v1/providers", viewer, s.listProviders},
		{"POST", "/v1/providers", admin, s.createProvider},
		{"GET", "/v1/providers/{provider_id}", viewer, s.getProvider},
		{"PATCH", "/v1/providers/{provider_id}", admin, s.updateProvider},
		{"DELETE", "/v1/providers/{provider_id}", admin, s.deleteProvider},
		{"POST", "/v1/providers/{provider_id}/test", admin, s.testProvider},
		{"GET", "/v1/providers/{provider_id}/models", admin, s.listProviderModels},
		{"GET", "/v1/usage", viewer, s.getUsage},
		{"GET", "/v1/settings", viewer, s.getSettings},
		{"PATCH", "/v1/settings", admin, s.updateSettings},
		{"GET", "/v1/prompt-chunks", viewer, s.listPromptChunks},
		{"GET", "/v1/keys", admin, s.listKeys},
		{"POST", "/v1/keys", admin, s.createKey},
		{"DELETE", "/v1/keys/{key_id}", admin, s.revokeKey},
		{"GET", "/v1/workspaces", root, s.listWorkspaces},
		{"POST", "/v1/workspaces", root, s.createWorkspace},
		{"GET", "/v1/workspaces/{workspace_id}", root, s.getWorkspace},
		{"GET", "/v1/admin/invariants", admin, s.checkInvariants},
		{"GET", "/v1/admin/status", admin, s.getStatus},
		{"GET", "/healthz", public, s.getHealth},
		{"GET", "/readyz", public, s.getReadiness},
		{"GET", "/version", public, s.getVersion},
		{"GET", "/metrics", root, s.getMetrics},
		{"GET", "/openapi.yaml", public, s.getContract},
		{"GET", "/openapi.json", public, s.getContractAsJSON},
		{"GET", "/problems", public, s.problemPage},
		{"GET", "/problems/{code}", public, s.problemPage},
	}
}

// routes makes the router of the table.
func (s *server) routes() chi.Router {
	router := chi.NewRouter()
	for _, r := range s.table() {
		router.MethodFunc(r.method, r.pattern, s.guarded(r))
		if r.method == http.MethodGet {
			router.MethodFunc(http.MethodHead, r.pattern, s.guarded(r))
		}
	}
	router.MethodNotAllowed(s.methodNotAllowed(router))
	router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if s.Web == nil || !safe(r.Method) || strings.HasPrefix(r.URL.Path, "/v1/") {
			s.notFound(w, r)
			return
		}
		s.Web.ServeHTTP(w, r)
	})
	return router
}

// guarded puts before a handler what its role demands.
func (s *server) guarded(r route) http.HandlerFunc {
	switch {
	case r.role == public:
		return r.handler
	case r.pattern == "/metrics":
		guarded := s.allow(r.role, r.handler)
		return func(w http.ResponseWriter, req *http.Request) {
			if s.Auth.LocalPeer(req) {
				r.handler(w, req) // the scraper on the machine itself
				return
			}
			guarded(w, req)
		}
	case strings.HasSuffix(r.pattern, "/events"), strings.HasSuffix(r.pattern, "/events/stream"):
		return s.allowStream(r.role, s.checked(r, r.handler))
	default:
		return s.admit(r.role, s.Auth.Authenticate, s.checked(r, s.once(s.conditional(r.handler))))
	}
}
