package app

import (
	"context"
	"net/http"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/commands/checks"
	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/data/files"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/handlers"
	adminapi "github.com/fermata-dev/fermata/handlers/admin"
	automationsapi "github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/handlers/edge"
	eventsapi "github.com/fermata-dev/fermata/handlers/events"
	outsideapi "github.com/fermata-dev/fermata/handlers/outside"
	peopleapi "github.com/fermata-dev/fermata/handlers/people"
	sessionsapi "github.com/fermata-dev/fermata/handlers/sessions"
	userdataapi "github.com/fermata-dev/fermata/handlers/userdata"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/repository/people"
	"github.com/fermata-dev/fermata/web"
)

// handler wires the API.
func (a *App) handler(ctx context.Context) (http.Handler, error) {
	origins, err := auth.ParseOrigins(a.flags.AllowedOrigins...)
	if err != nil {
		return nil, err
	}
	if a.auth, err = a.authenticator(origins); err != nil {
		return nil, err
	}
	if err := a.auth.CheckStart(ctx); err != nil {
		return nil, err
	}
	a.warnOfPlain()
	a.flags.warnOfNoAdmin(a.log)
	config := a.api(origins)
	if a.flags.TestHooks.Handlers != nil {
		a.flags.TestHooks.Handlers(&config)
	}
	return handlers.New(config), nil
}

// api is the configuration of the API.
func (a *App) api(origins auth.Origins) handlers.Config {
	userData := data.NewService(dataStore{a.store, a.store.Workspaces}, a.rules, a.clock, a.newID)
	hooks := webhooks.NewService(a.store.Webhooks, a.webhooks, a.newID)
	uploads := files.NewService(a.store.Files, a.store.Workspaces, a.clock, a.newID, edge.SpendPixels)
	check := a.checks()
	automations := automationService{
		a.scheduling.Automations, a.scheduling.Runs, a.store.Automations, a.store.Records, checks.RichText{Config: check}, a,
	}
	return handlers.Config{
		Edge: edge.Config{
			Auth:        a.auth,
			Idempotency: requestKeys{a.store.Requests, a.clock},
			Tickets:     a.store.Keys,
			Metrics:     a.metrics,
			Log:         a.log,
			Clock:       a.clock,
			Draining:    a.draining.Load,
			Origins:     origins,
			RateLimits:  a.flags.Rate.limits(),
			Cookies:     a.flags.cookies(), PublicURL: a.flags.pageURL(), Language: scheduleService{a}.languageOf,
		},
		Sessions: sessionsapi.Ports{
			Sessions: a.scheduling.Sessions, Steering: a.scheduling.Sessions, Again: a.scheduling.Again,
			Messages: a.scheduling.Messages, Answers: a.scheduling.Answers,
			SessionReader: a.store.Sessions, WorkspaceReader: workspaceReads{a.store.Slot, a.store.Approvals, a.store.Events},
			Record:   recordReads{a.store.Records, a.store.Sessions, a.store.Approvals},
			RichText: checks.RichText{Config: check}, Catalogue: checks.Catalogue{Config: check}, Settings: a.store.Workspaces,
			Links: linkPorts(a),
		},
		Events: eventsapi.Ports{
			Sessions:  sessionReads{a.store.Sessions, a.store.Events},
			Workspace: workspaceReads{a.store.Slot, a.store.Approvals, a.store.Events}, Streams: a.broker,
		},
		UserData: userdataapi.Ports{
			Zones: userData, Tools: userData, ToolTypes: userData, Entries: userData, EntryFiles: userData, Documents: userData,
			Versions: userData, Undo: userData, Confirming: data.Confirmations{Service: userData},
			Periods: userData, Search: userData, Files: uploads,
		},
		Automations: automationsapi.Ports{
			Automations: automations, Runs: automations, RunReader: a.store.Sessions, Seeds: automations, Grants: automations,
			Schedules: scheduleService{a},
		},
		Outside: outsideapi.Ports{
			Providers:  outsideapi.ProviderPorts{Providers: a.providers, ProviderProbe: a.providers},
			Connectors: a.connectorPorts(),
			Webhooks:   outsideapi.WebhookPorts{Webhooks: hooks, Sending: hooks},
			Tasks:      outsideapi.TaskPorts{Tasks: taskReads{a.store.Tasks, a.scheduling.Tasks}, Callbacks: a.scheduling.Tasks},
			Agents:     agentService{a.agents(), a},
		},
		People: peopleParts{a}.ports(settingsPorts(a)),
		Admin: adminapi.Ports{
			Version: adminapi.VersionInfo{Version: a.flags.Version, Commit: a.flags.Commit},
			Health:  a.store, Admin: adminService{a}, Workspaces: a.store.Workspaces, MetricsPage: a.metrics.Page(),
		},
		Protocols: a.protocols(userData, uploads),
		Web:       web.Handler(),
	}
}

// connectorPorts are the services of connectors.
func (a *App) connectorPorts() outsideapi.ConnectorPorts {
	return outsideapi.ConnectorPorts{
		Connectors: a.connectors, ConnectorProbe: a.connectors, Previewer: a.previewer,
		SignIn: connectors.Resumption{Service: a.connectors, Open: a.store.Approvals, Answers: a.scheduling.Answers, Log: a.log},
	}
}

// keyService serves API keys to the API.
type keyService struct {
	*people.KeyStore
	*auth.KeyService
}

func (s keyService) RevokeKey(ctx context.Context, workspace, id string) error {
	return s.KeyService.RevokeKey(ctx, workspace, id)
}

func (s keyService) CreateKey(ctx context.Context, workspace string, in auth.NewKey) (*peopleapi.MintedKey, error) {
	key, text, closed, err := s.Create(ctx, workspace, in)
	if err != nil {
		return nil, err
	}
	return &peopleapi.MintedKey{Key: key, Text: text, Closed: closed}, nil
}

func (a *App) keyService() keyService {
	return keyService{a.store.Keys, &auth.KeyService{
		Rows: a.store.Keys, RootKey: a.flags.RootKey != "", Issuer: a.flags.OIDCIssuer != "", Clock: a.clock, NewID: a.newID,
	}}
}

// adminService reports the state of this process.
type adminService struct{ app *App }

func (s adminService) Invariants(ctx context.Context, workspace string) ([]reports.Invariant, error) {
	return s.app.store.Workspaces.Invariants(ctx, workspace)
}

func (s adminService) Status(ctx context.Context, workspace string, whole bool) (*adminapi.Status, error) {
	until, err := s.app.store.Nodes.LeaseUntil(ctx)
	if err != nil {
		return nil, err
	}
	status := &adminapi.Status{
		Node: s.app.flags.NodeID, Incarnation: s.app.incarnation, StartedAt: s.app.startedAt, Database: s.app.store.Kind(),
		Sessions: s.app.loop.ActiveIn(workspace), StreamClients: s.app.broker.StreamsOf(workspace), LeaseUntil: until,
	}
	for _, b := range s.app.providers.Board.Statuses(workspace) {
		status.Breakers = append(status.Breakers, adminapi.Breaker{
			ProviderID: b.Provider, Model: b.Model, State: string(b.State), Failures: b.Failures, Until: b.Until, LastError: b.LastError,
		})
	}
	if whole {
		status.Sessions, status.StreamClients = s.app.loop.Active(), s.app.broker.Load().Streams
		status.Nodes, err = s.app.store.Nodes.Nodes(ctx)
	}
	return status, err
}
