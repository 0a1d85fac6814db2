package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// The supported protocol revisions.
const (
	revision2026 = "2026-07-28"
	revision2025 = "2025-11-25"
)

const (
	versionHeader = "Mcp-Protocol-Version"
	nameHeader    = "Mcp-Name"
)

// Door serves POST /mcp.
type Door struct {
	Config
	tools         []*tool
	configure     func(*mcp.ServerOptions) // changes the options of the server; nil: no change
	servers       servers
	jsonHandler   http.Handler // answers with JSON
	streamHandler http.Handler // answers with event streams
}

// New returns the handler.
func New(c Config) *Door { return newDoor(c, tools, nil) }

// newDoor returns a handler with other tools; configure changes the options of its servers.
func newDoor(c Config, offered []*tool, more func(*mcp.ServerOptions)) *Door {
	d := &Door{Config: c, tools: offered, configure: more}
	d.servers = d.newServers()
	d.jsonHandler, d.streamHandler = d.handler(true), d.handler(false)
	return d
}

func (d *Door) handler(whole bool) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return callOf(r.Context()).server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: whole,
		// The caller, its origin and the host were checked before.
		DisableLocalhostProtection: true,
		// Closing the stream ends only the waiting.
		PropagateRequestCancellation: true,
	})
}

// call is a request in progress.
type call struct {
	*Door
	identity  *auth.Identity
	r         *http.Request
	server    *mcp.Server
	mayAnswer bool // the workspace allows clients to answer
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// envelope is what is decoded of a request before the SDK handles it.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		TaskID string `json:"taskId"`
	} `json:"params"`
}

// ownNotification are the notifications that the SDK handles.
var ownNotification = map[string]bool{"notifications/initialized": true, "notifications/cancelled": true}

// Serve answers one request.
func (d *Door) Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error {
	var e envelope
	if body[0] != '{' {
		return domain.Errorf(domain.CodeInvalid, "Send one JSON-RPC request at a time, as an object.")
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return &domain.Error{Code: domain.CodeInvalid, Message: "The body is not a JSON-RPC request.", Err: err}
	}
	if e.Method == "" {
		return domain.Invalid("/method", "required", "method is missing. This server sends no requests that could be answered.")
	}
	if wrong := checkHeaders(r, &e); wrong != nil {
		writeError(w, http.StatusBadRequest, e.ID, withCode(wrong))
		return nil
	}
	if len(e.ID) == 0 && strings.HasPrefix(e.Method, "notifications/") && !ownNotification[e.Method] {
		w.WriteHeader(http.StatusAccepted) // notifications have no response
		return nil
	}
	workspace, err := d.Workspaces.Workspace(r.Context(), who.Workspace)
	if err != nil {
		return err
	}
	c := &call{Door: d, identity: who, mayAnswer: workspace.Settings.MCPAnswers}
	c.server = d.servers.of(who.Role, c.mayAnswer)
	inner := r.Clone(context.WithValue(r.Context(), callKey{}, c))
	c.r = inner
	inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	handler := d.streamHandler
	if !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "event-stream") {
		handler = d.jsonHandler
	}
	inner.Header.Set("Accept", "application/json, text/event-stream")
	plain := &errorInterceptor{ResponseWriter: w}
	handler.ServeHTTP(plain, inner)
	plain.flush(e.ID)
	return nil
}

// checkHeaders compares headers with the body that the SDK does not compare.
func checkHeaders(r *http.Request, e *envelope) *jsonrpc.Error {
	version := r.Header.Get(versionHeader)
	known := mcp.SupportedProtocolVersions()
	if version != "" && version < revision2026 && !slices.Contains(known, version) {
		data := jsonbody.Encode(map[string]any{"code": domain.CodeInvalid, "supported": known, "requested": version})
		return &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: "The protocol version is not supported.", Data: data}
	}
	ofTask := e.Method == methodTask || e.Method == methodTaskUpdate || e.Method == methodTaskCancel
	if !ofTask || version < revision2026 {
		return nil
	}
	if name := r.Header.Get(nameHeader); name != e.Params.TaskID {
		return &jsonrpc.Error{
			Code:    mcp.CodeHeaderMismatch,
			Message: fmt.Sprintf("header mismatch: the header %s is %q, and the task in the body is %q", nameHeader, name, e.Params.TaskID),
		}
	}
	return nil
}

// base returns the base URL of the web app.
func (c *call) base() string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	if c.r.TLS != nil {
		return "https://" + c.r.Host
	}
	return "http://" + c.r.Host
}

func (c *call) link(session string) string { return c.base() + "/#/chat/" + session }
