package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
)

// servers are the SDK's servers for the different permissions of callers: a client is shown the
// tools that it may call.
type servers struct{ viewer, member, answering *mcp.Server }

func (s *servers) of(role domain.Role, mayAnswer bool) *mcp.Server {
	switch {
	case !role.Allows(domain.RoleMember):
		return s.viewer
	case mayAnswer:
		return s.answering
	}
	return s.member
}

func (d *Door) newServers() servers {
	return servers{
		viewer: d.newServer(domain.RoleViewer, false), member: d.newServer(domain.RoleMember, false),
		answering: d.newServer(domain.RoleMember, true),
	}
}

const instructions = "Fermata stores sessions with an AI, its actions and their approvals. send_message sends a message to a session " +
	"and waits for the answer. If that takes longer, or a person has to approve something, the result says so: read it later with " +
	"get_session. Messages survive a crash of either side, and repeating a request that is still in progress is safe."

// listTTLMillis is how long clients may cache lists, which change with a workspace's settings.
const listTTLMillis = 60_000

func (d *Door) newServer(role domain.Role, mayAnswer bool) *mcp.Server {
	capabilities := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	capabilities.AddExtension(tasksExtension, nil)
	options := &mcp.ServerOptions{
		Instructions: instructions, Capabilities: capabilities,
		SetCacheable: func(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
			c.CacheScope = "private"
			if _, read := req.(*mcp.ReadResourceRequest); !read {
				c.TTLMs = listTTLMillis
			}
		},
	}
	if d.configure != nil {
		d.configure(options)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "fermata", Title: "Fermata", Version: d.Version}, options)
	for _, t := range d.tools {
		if role.Allows(t.role) && (mayAnswer || !t.answersForPerson) {
			s.AddTool(t.definition(), d.run(t))
		}
	}
	s.AddResourceTemplate(documentTemplate, readDocument)
	d.addTasks(s)
	s.AddReceivingMiddleware(d.middleware)
	return s
}

// middleware answers the requests that the SDK would answer from a list of its own, and adds the
// server's code to errors.
func (d *Door) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		var result mcp.Result
		var err error
		switch params := req.GetParams().(type) {
		case *mcp.ListResourcesParams:
			result, err = callOf(ctx).listDocuments(ctx, params)
		case *mcp.CallToolParamsRaw:
			if r, ok := req.(*mcp.CallToolRequest); ok && supportsTasks(r.ClientCapabilities()) && r.ProtocolVersion() >= revision2026 {
				result, err = callOf(ctx).startTask(ctx, r)
			}
		}
		if result == nil && err == nil {
			result, err = next(ctx, method, req)
		}
		return result, d.toRPCError(err)
	}
}
