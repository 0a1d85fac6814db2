package app

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/connectors/httpcommand"
	"github.com/fermata-dev/fermata/connectors/longrunning"
	"github.com/fermata-dev/fermata/connectors/mcp"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/egress"
)

// wireConnectors creates the connectors' service. client enforces the hosts that requests may reach.
func (a *App) wireConnectors(client *http.Client) {
	var builtIn []string
	for _, spec := range a.catalogue.Specs() {
		builtIn = append(builtIn, spec.Name)
	}
	a.connectors = connectors.New(connectors.Config{
		Rows: a.store.Connectors, Schemas: a.catalogue, Keys: a.keys,
		Kinds:  []connectors.Kind{httpcommand.Kind(), a.mcpKind(), longrunning.Kind(a.callbackURL, documentOf(a), a.clock)},
		Client: egress.Wrap(client, named("fermata/"+a.flags.Version)), Clock: a.clock, NewID: a.newID, BuiltIn: builtIn,
		Called: func(r connectors.CallReport) {
			a.metrics.ConnectorCalled(string(r.Kind), r.Outcome, r.Took)
			r.Log(&a.log)
		},
		Grants: a.store.Connectors, Redirect: signInURL(a),
	})
	a.previewer = httpcommand.Previewer{Client: client}
	a.outside = a.connectors.Manager
	a.refresher = connectors.NewRefresher(a.connectors, func(workspace, id string, err error) {
		a.log.Info().Str("workspace", workspace).Str("connector", id).Err(err).Msg("a connector's commands could not be refreshed")
	})
}

// connectorsChanged stops connections of deleted or changed connectors at once, here and on other nodes.
func connectorsChanged(a *App, change *domain.Change) {
	if a.connectors != nil {
		a.connectors.Manager.Changed(change.WorkspaceID)
	}
	if a.node != nil {
		a.node.Committed(change)
	}
}

// remoteConnectorsChanged does the same for a change made by another node. changes is the number of changes so
// far, or 0 if it is unknown.
func remoteConnectorsChanged(a *App, workspace string, changes int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := a.store.Connectors.LearnConnectorChanges(ctx, workspace, changes); err != nil {
		a.log.Warn().Err(err).Str("workspace", workspace).Msg("a change of connectors could not be read")
	}
	a.connectors.Manager.Changed(workspace)
}

// documentOf reads a document that is sent along with a task.
func documentOf(a *App) longrunning.Documents {
	return func(ctx context.Context, workspace, key string) (*userdata.Document, error) {
		return a.store.ReadData(workspace).Document(ctx, key)
	}
}

// signInURL is the redirect URL after sign-ins to connectors.
func signInURL(a *App) func() (string, error) {
	return func() (string, error) {
		base, err := publicURL(a, "browsers need to return after signing in")
		return base + "/v1/connectors/sign-in/callback", err
	}
}

// mcpKind is the kind "mcp": servers that implement the Model Context Protocol.
func (a *App) mcpKind() connectors.Kind {
	return mcp.Kind(mcp.KindOptions{
		Version: a.flags.Version, AllowStdio: a.allowStdio(),
		Changed: func(c *outside.Connector) { a.refresher.Enqueue(c) },
		Failed: func(c *outside.Connector, message string, cause error) {
			a.log.Info().Str("workspace", c.WorkspaceID).Str("connector", c.ID).AnErr("cause", cause).Msg(message)
		},
	})
}

// allowStdio reports whether connectors may start programs: as configured, or else if everyone who can
// reach the server is on this machine anyway.
func (a *App) allowStdio() func(context.Context) bool {
	if said := a.flags.AllowStdio; said != nil {
		return func(context.Context) bool { return *said }
	}
	return a.openAccess
}

// named sets the User-Agent of requests.
func named(agent string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("User-Agent", agent)
			return next.RoundTrip(r)
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
