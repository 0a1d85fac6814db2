package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/rounds"
)

// Parts of schemas.
const (
	propSession = `"session_id": {"type": "string", "maxLength": 200, "description": "Of a session, as list_sessions and send_message give it."}`
	propLimit   = `"limit": {"type": "integer", "minimum": 1, "maximum": 200, "description": "How many at most; 50 if left out."}`
	propCursor  = `"cursor": {"type": "string", "maxLength": 2000, "description": "next_cursor of the page before."}`
	propNext    = `"next_cursor": {"type": "string", "description": "Empty at the end."}`
	propWait    = `"wait_seconds": {"type": "integer", "minimum": 0, "maximum": 50, "description": "How long to wait for the end; 50 if left out."}`

	outSession = `{"type": "object", "required": ["id", "type", "status", "name"], "properties": {"id": {"type": "string"}, "name": {"type": "string"},` +
		`"type": {"type": "string"}, "status": {"type": "string"}, "phase": {"type": "string"}, "queue_position": {"type": "integer"},` +
		`"end_reason": {"type": "string"}, "automation_id": {"type": "string"}, "last_event_time": {"type": "string"}, "link": {"type": "string"}}}`
	outCard = `{"type": "object", "required": ["approval_id", "session_id", "kind", "text", "actions", "link"], "properties": {` +
		`"approval_id": {"type": "string"}, "session_id": {"type": "string"}, "kind": {"type": "string"}, "text": {"type": "string"},` +
		`"actions": {"type": "array", "items": {"type": "object"}}, "response_schema": {}, "expires_at": {"type": "string"}, "link": {"type": "string"}}}`
	outState = `{"type": "object", "required": ["session_id", "state", "text", "link"], "properties": {"session_id": {"type": "string"},` +
		`"message_id": {"type": "string"}, "state": {"type": "string", "enum": ["working", "input_required", "completed", "failed", "cancelled"]},` +
		`"text": {"type": "string"}, "failure": {"type": "string"}, "attached": {"type": "boolean"}, "link": {"type": "string"}, "pending": {"type": "array", "items": ` + outCard + `}}}`
)

// tools are the tools that a client may be shown, in this order.
var tools = []*tool{
	{
		name: "list_sessions", title: "List sessions", role: domain.RoleViewer, readOnly: true, handle: listSessions,
		description: "The sessions of the workspace, newest first.",
		input: schema.Object(`"type": {"type": "string", "enum": ["CHAT", "AUTOMATION", "SEED", "AGENT"]}, "status": {"type": "string",` +
			`"enum": ["idle", "queued", "running", "requires_action", "waiting", "suspended", "ended"]}, "query": {"type": "string", "maxLength": 200,` +
			`"description": "Part of the name."}, ` + propLimit + `, ` + propCursor),
		output: schema.Compact(`{"type": "object", "required": ["sessions", "next_cursor"], "properties": {"sessions": {"type": "array", "items": ` +
			outSession + `}, ` + propNext + `}}`),
	},
	{
		name: "get_session", title: "Read a session", role: domain.RoleViewer, readOnly: true, handle: getSession,
		description: "A session, the state of its latest round, and its latest messages.",
		input: schema.Object(propSession+`, "messages": {"type": "integer", "minimum": 0, "maximum": 200,`+
			`"description": "How many of the latest messages; 20 if left out. Fewer are returned if they are long."}, "cursor": {"type": "string",`+
			`"maxLength": 2000, "description": "next_cursor of the answer before, for the messages before those."}`, "session_id"),
		output: schema.Compact(`{"type": "object", "required": ["session", "messages", "pending"], "properties": {"session": ` + outSession +
			`, "messages": {"type": "array", "items": {"type": "object"}}, "has_earlier": {"type": "boolean"}, "next_cursor": {"type": "string",` +
			`"description": "Give it as cursor for the messages before these; empty at the beginning of the session."}, ` +
			`"pending": {"type": "array", "items": ` + outCard + `}}}`),
	},
	{
		name: "send_message", title: "Send a message", role: domain.RoleMember, handle: sendMessage, start: startMessage,
		description: "Sends a message to a session and waits for the answer, at most 50 seconds. Without session_id, a new session is created. " +
			"The same text again, while its round is in progress, waits for the same answer and sends nothing.",
		input: schema.Object(propSession+`, "text": {"type": "string", "minLength": 1, "maxLength": 100000, "pattern": "\\S"},`+propWait+
			`, "idempotency_key": {"type": "string", "minLength": 1, "maxLength": 200,`+
			`"description": "The same key finds the same message, however long ago it was sent."}`, "text"),
		output: schema.Compact(outState),
	},
	{
		name: "list_pending", title: "List what waits for a person", role: domain.RoleViewer, readOnly: true, handle: listPending,
		description: "The open approvals and questions of the workspace, each with a link under which a person answers.",
		input:       schema.Object(propSession + `, ` + propLimit + `, ` + propCursor),
		output: schema.Compact(`{"type": "object", "required": ["pending", "next_cursor"], "properties": {"pending": {"type": "array", "items": ` +
			outCard + `}, ` + propNext + `}}`),
	},
	{
		name: "answer_pending", title: "Answer for a person", role: domain.RoleMember, answersForPerson: true, handle: answerPending,
		description: "Answers an open approval or question. Ask the person first: what is approved is carried out.",
		input: schema.Object(`"approval_id": {"type": "string", "maxLength": 200}, "answer": {"type": "object",`+
			`"description": "As the response_schema of the approval says: {\"approved\": true}; for a question {\"value\": …} or {\"cancelled\": true}."}`,
			"approval_id", "answer"),
		output: schema.Compact(`{"type": "object", "required": ["approval_id", "status", "session_id"], "properties": {"approval_id": {"type": "string"},` +
			`"status": {"type": "string"}, "session_id": {"type": "string"}, "link": {"type": "string"}}}`),
	},
	{
		name: "run_automation", title: "Run an automation", role: domain.RoleMember, handle: runAutomation, start: startRun,
		description: "Starts a run of an automation and waits for its end, 50 seconds at most.",
		input:       schema.Object(`"automation_id": {"type": "string", "maxLength": 200}, `+propWait, "automation_id"),
		output:      schema.Compact(outState),
	},
	{
		name: "query_data", title: "Read data", role: domain.RoleViewer, readOnly: true, handle: queryData,
		description: "Entries of a tool, newest first, or what is found by words: give tool_id or search. describe_data lists the tools.",
		input: schema.Object(`"tool_id": {"type": "string", "maxLength": 200}, "search": {"type": "string", "minLength": 1, "maxLength": 500},` +
			`"period": {"type": "object", "additionalProperties": false, "properties": {"start": {"type": "string"}, "end": {"type": "string"},` +
			`"relative": {"type": "string", "description": "like 0_DAY, -1_WEEK"}, "from": {"type": "string"}, "to": {"type": "string"}}},` +
			`"where": {"type": "object", "description": "Conditions on fields of a tool's entries, like {\"paid\": false, \"amount\": {\"gt\": 1000}}: ` +
			`eq, ne, lt, lte, gt, gte, in, contains, exists."}, "order_by": {"type": "string", "maxLength": 1000, "description": "a field"},` +
			`"fields": {"type": "array", "items": {"type": "string", "maxLength": 1000}, "maxItems": 50}, ` +
			`"order": {"type": "string", "enum": ["asc", "desc"]}, ` + propLimit + `, ` + propCursor),
		output: schema.Compact(`{"type": "object", "required": ["next_cursor"], "properties": {"entries": {"type": "array", "items": {"type": "object"}},` +
			`"hits": {"type": "array", "items": {"type": "object"}}, ` + propNext + `}}`),
	},
	{
		name: "describe_data", title: "Describe the data", role: domain.RoleViewer, readOnly: true, handle: describeData,
		description: "The zones, the tools in them, and the tool types with the JSON Schemas of their entries.",
		input:       schema.Object(`"zone_id": {"type": "string", "maxLength": 200}, ` + propCursor),
		output: schema.Compact(`{"type": "object", "required": ["zones", "tools", "tool_types", "next_cursor"], "properties": {` +
			`"zones": {"type": "array", "items": {"type": "object"}}, "tools": {"type": "array", "items": {"type": "object"}},` +
			`"tool_types": {"type": "array", "items": {"type": "object"}}, ` + propNext + `}}`),
	},
}

func (d *Door) toolNamed(name string) *tool {
	for _, t := range d.tools {
		if t.name == name {
			return t
		}
	}
	return nil
}

// paging are the arguments of all lists.
type paging struct {
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"`
}

func (p *paging) size() int {
	if p.Limit == 0 {
		return 50
	}
	return p.Limit
}

// sessionSummary is a session in a list.
type sessionSummary struct {
	ID            string             `json:"id"`
	Name          string             `json:"name"`
	Type          domain.SessionType `json:"type"`
	Status        domain.Status      `json:"status"`
	Phase         domain.Phase       `json:"phase"`
	QueuePosition int                `json:"queue_position,omitempty"`
	EndReason     domain.EndReason   `json:"end_reason,omitempty"`
	AutomationID  string             `json:"automation_id,omitempty"`
	LastEventTime api.Time           `json:"last_event_time"`
	Link          string             `json:"link"`
}

func (c *call) summaryOf(s *domain.Session) *sessionSummary {
	return &sessionSummary{
		s.ID, s.Name, s.Type, s.Status(), s.Phase, s.QueuePosition, s.EndReason, s.AutomationID, api.Time(s.LastEventTime), c.link(s.ID),
	}
}

func listSessions(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args struct {
		paging

		Type   domain.SessionType `json:"type"`
		Status domain.Status      `json:"status"`
		Query  string             `json:"query"`
	}
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	lines, next, err := page(ctx, args.size(), c.summaryOf, func(limit int) ([]*domain.Session, string, error) {
		return c.Workspaces.Sessions(ctx, c.identity.Workspace, domain.SessionFilter{
			Type: args.Type, Status: args.Status, Query: args.Query, Limit: limit, Cursor: args.Cursor,
		})
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"sessions": lines, "next_cursor": next}, nil
}

func getSession(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args struct {
		SessionID string `json:"session_id"`
		Messages  *int   `json:"messages"`
		Cursor    string `json:"cursor"`
	}
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	s, err := c.Record.Session(ctx, c.identity.Workspace, args.SessionID)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"session": c.summaryOf(s)}
	messages, more := []json.RawMessage{}, ""
	if limit := 20; args.Messages == nil || *args.Messages > 0 {
		if args.Messages != nil {
			limit = *args.Messages
		}
		if messages, more, err = page(ctx, limit, api.MessageFrom, func(limit int) ([]*domain.Message, string, error) {
			return c.Record.MessagePage(ctx, s, args.Cursor, limit, true)
		}); err != nil {
			return nil, err
		}
		slices.Reverse(messages)
	}
	out["messages"], out["has_earlier"], out["next_cursor"] = messages, more != "", more
	at := &rounds.Progress{Session: s}
	if err := c.newRound().ReadApprovals(ctx, at); err != nil {
		return nil, err
	}
	cards := []*approvalCard{}
	for _, a := range at.Open {
		cards = append(cards, c.cardOf(a))
	}
	out["pending"] = cards
	return out, nil
}

func listPending(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args struct {
		paging

		SessionID string `json:"session_id"`
	}
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	cards, next, err := page(ctx, args.size(), c.cardOf, func(limit int) ([]*domain.Approval, string, error) {
		return c.Approvals.Approvals(ctx, c.identity.Workspace, domain.ApprovalFilter{
			Status: domain.ApprovalStatusOpen, SessionID: args.SessionID, Limit: limit, Cursor: args.Cursor,
		})
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"pending": cards, "next_cursor": next}, nil
}
