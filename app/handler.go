package app

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/files"
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
	"github.com/fermata-dev/fermata/orchestrator"
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
	automations := automationService{a.scheduling.Automations, a.scheduling.Runs, a.store.Automations, a.store.Records, a}
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
			RichText: richText{a}, Catalogue: catalogueService{a}, Settings: a.store.Workspaces, Links: linkPorts(a),
		},
		Events: eventsapi.Ports{
			Sessions:  sessionReads{a.store.Sessions, a.store.Events},
			Workspace: workspaceReads{a.store.Slot, a.store.Approvals, a.store.Events}, Streams: a.broker,
		},
		UserData: userdataapi.Ports{
			Zones: userData, Tools: userData, ToolTypes: userData, Entries: userData, EntryFiles: userData, Documents: userData,
			Versions: userData, Undo: userData, Periods: userData, Search: userData, Files: uploads,
		},
		Automations: automationsapi.Ports{
			Automations: automations, Runs: automations, RunReader: a.store.Sessions, Seeds: automations, Grants: automations,
			Schedules: scheduleService{a},
		},
		Outside: outsideapi.Ports{
			Providers: outsideapi.ProviderPorts{Providers: a.providers, ProviderProbe: a.providers},
			Connectors: outsideapi.ConnectorPorts{Connectors: a.connectors, ConnectorProbe: a.connectors,
				SignIn: connectorSignIns{a.connectors, a}, Previewer: a.previewer},
			Webhooks: outsideapi.WebhookPorts{Webhooks: hooks, Sending: hooks},
			Tasks:    outsideapi.TaskPorts{Tasks: taskReads{a.store.Tasks, a.scheduling.Tasks}, Callbacks: a.scheduling.Tasks},
			Agents:   agentService{a.agents(), a},
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

// richText resolves a person's message by the catalogue's rules.
type richText struct{ app *App }

func (s richText) Resolve(ctx context.Context, workspace string, segments []domain.Segment) (*domain.RichContent, error) {
	return s.resolve(ctx, workspace, domain.Chat, segments)
}

func (s richText) resolve(ctx context.Context, workspace string, kind domain.SessionType,
	segments []domain.Segment) (*domain.RichContent, error) {
	segments, err := s.withFiles(ctx, workspace, kind, segments)
	if err != nil {
		return nil, err
	}
	w := &domain.Workspace{ID: workspace}
	for _, segment := range segments {
		if segment.Enrichment == nil {
			continue
		}
		// Only enrichments need the workspace's calendar and language.
		if w, err = s.app.store.Workspaces.Workspace(ctx, workspace); err != nil {
			return nil, err
		}
		break
	}
	env := commands.Env{Env: data.EnvOf(w, s.app.clock(), s.app.newID), SessionType: kind}
	rich, err := s.app.catalogue.Enrichments(ctx, s.app.store.ReadData(workspace), env, segments)
	return &rich, err
}

// withFiles adds the metadata of the files that segments refer to.
func (s richText) withFiles(ctx context.Context, workspace string, kind domain.SessionType,
	segments []domain.Segment) ([]domain.Segment, error) {
	var known []domain.Segment
	seen := map[string]bool{}
	for i, segment := range segments {
		if segment.File == nil {
			known = append(known, segment)
			continue
		}
		at := fmt.Sprintf("/segments/%d/file_id", i)
		id := segment.File.ID
		switch {
		case kind == domain.Seed:
			return nil, domain.Invalid(at, "not_allowed", "The first message of an automation cannot have files.")
		case seen[id]:
			continue
		case len(seen) == domain.MaxMessageFiles:
			return nil, domain.Invalid(at, "count", "A message can have at most %d files.", domain.MaxMessageFiles)
		}
		file, err := s.app.store.Files.File(ctx, workspace, id)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			return nil, domain.UnknownFile(at, id)
		}
		if err != nil {
			return nil, err
		}
		seen[id] = true
		known = append(known, domain.Segment{
			Type: domain.SegmentFile, File: &file.FileRef, From: domain.From(domain.OriginFile, file.Name),
		})
	}
	return known, nil
}

// catalogueService lists the built-in commands and those that the workspace's connectors and agents
// add, as far as its settings allow them.
type catalogueService struct{ app *App }

func (s catalogueService) Commands(ctx context.Context, workspace string) ([]domain.CommandSpec, error) {
	external, err := s.app.offers(ctx, workspace)
	if err != nil {
		return nil, err
	}
	agents, err := s.app.agents().Agents(ctx, workspace)
	if err != nil {
		return nil, err
	}
	w, err := s.app.store.Workspaces.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return s.app.catalogue.With(allowedCommands(&w.Settings, external, agents)), nil
}

// allowedCommands returns the commands of connectors and of enabled agents that the settings allow.
func allowedCommands(settings *domain.Settings, external []domain.CommandSpec, agents []*domain.AgentDefinition) []domain.CommandSpec {
	all := slices.Clone(external)
	for _, agent := range agents {
		if agent.Enabled {
			all = append(all, orchestrator.AgentCommand(agent))
		}
	}
	return slices.DeleteFunc(all, func(spec domain.CommandSpec) bool { return !domain.AllowsCommand(settings.Commands, spec.Name) })
}

// keyService creates and revokes API keys.
type keyService struct{ app *App }

func (s keyService) Keys(ctx context.Context, workspace string) ([]*people.Key, error) {
	return s.app.store.Keys.Keys(ctx, workspace)
}

func (s keyService) CreateKey(ctx context.Context, workspace string, in peopleapi.NewKey) (*peopleapi.MintedKey, error) {
	text, prefix, hash := auth.Mint()
	minted := &peopleapi.MintedKey{Text: text, Key: &people.Key{
		ID: s.app.newID(domain.PrefixKey), WorkspaceID: workspace, Name: in.Name, Role: in.Role,
		Prefix: prefix, Hash: hash, CreatedAt: s.app.clock(), ExpiresAt: in.ExpiresAt,
	}}
	err := s.app.store.Keys.InsertKey(ctx, minted.Key, func(first bool) error {
		if minted.Closed = first && s.app.flags.RootKey == "" && s.app.flags.OIDCIssuer == ""; minted.Closed {
			return minted.MayBeFirst()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return minted, nil
}

func (s keyService) RevokeKey(ctx context.Context, workspace, id string) error {
	if s.app.flags.RootKey != "" {
		return s.app.store.Keys.RevokeKey(ctx, workspace, id, nil)
	}
	return s.app.store.Keys.RevokeKey(ctx, workspace, id, func(all []*people.Key) error {
		return people.MayRevoke(id, all, s.app.clock())
	})
}

// adminService reports the state of this process.
type adminService struct{ app *App }

func (s adminService) Invariants(ctx context.Context, workspace string) ([]domain.Invariant, error) {
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
