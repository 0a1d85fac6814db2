package app

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/auth/oidc"
	"github.com/fermata-dev/fermata/auth/passkeys"
	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/connectors/httpcommand"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/certificate"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/lifecycle"
	"github.com/fermata-dev/fermata/internal/memory"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/orchestrator/plaincall"
	"github.com/fermata-dev/fermata/providers/configured"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/automations"
	"github.com/fermata-dev/fermata/stream"
	"github.com/fermata-dev/fermata/stream/bus"
	"github.com/fermata-dev/fermata/telemetry"
)

// App is a complete server.
type App struct {
	flags       Config
	log         zerolog.Logger
	clock       clock.Clock
	newID       domain.IDSource
	incarnation string
	startedAt   time.Time

	store      *repository.Store
	broker     *stream.Broker
	rules      *data.Rules
	catalogue  *commands.Catalogue
	providers  *configured.Service
	connectors *connectors.Service
	refresher  *connectors.Refresher
	previewer  httpcommand.Previewer
	recovery   *configured.Recovery
	webhooks   *webhooks.Loop
	pushes     *notify.Subscriptions
	keys       *seal.Keys
	hosts      *allowedHosts
	loop       *orchestrator.Loop
	outside    orchestrator.Outside // nil: no connectors
	// scheduling is set once the loop is wired.
	scheduling Scheduling
	node       *bus.Node // nil with SQLite, which has one process
	metrics    *telemetry.Metrics
	traces     *telemetry.Traces // nil: no collector
	auth       *auth.Authenticator
	uses       *auth.Uses
	issuer     *oidc.Party // nil: people sign in with keys
	passkeys   *passkeys.Service
	scraped    *telemetry.Listener

	plainBudgets plaincall.Budgets

	draining atomic.Bool
	listener net.Listener
	tls      *certificate.Certificate // nil: no TLS
	http     *http.Server
	services lifecycle.Group
}

// New opens the database, migrates it and wires everything. Nothing runs yet. Missing configuration has
// its default.
func New(ctx context.Context, config Config) (*App, error) {
	return open(ctx, config.withDefaults())
}

func open(ctx context.Context, flags Config) (*App, error) {
	if err := flags.resolve(); err != nil {
		return nil, err
	}
	flags.TestHooks = flags.TestHooks.withDefaults()
	rules := data.NewRules()
	catalogue := commands.New(rules, automations.Drafts{})
	a := &App{
		flags: flags, log: flags.Log, clock: flags.TestHooks.Clock, newID: flags.TestHooks.NewID,
		incarnation: ids.New("inc"), startedAt: flags.TestHooks.Clock(),
		metrics: telemetry.NewMetrics(catalogue.Specs(), flags.Version, flags.Commit), rules: rules, catalogue: catalogue,
	}
	if err := os.MkdirAll(flags.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("create the data directory: %w", err)
	}
	secret := flags.secretKey()
	newKey, err := secret.Prepare(flags.Log)
	if err != nil {
		return nil, err
	}
	keys, err := secret.Read()
	if err != nil {
		return nil, err
	}
	if a.keys, err = seal.New(keys); err != nil {
		return nil, err
	}
	if a.store, err = flags.OpenStore(ctx, repository.Config{
		Encode: api.EncodeEvent,
		Clock:  a.clock, NewID: a.newID, Node: flags.NodeID, Incarnation: a.incarnation,
		Committed: a.committed, AroundCommit: a.metrics.Timed(a.clock, flags.TestHooks.AroundCommit),
	}); err != nil {
		return nil, err
	}
	a.store.ReserveBeside(a.plainBudgets.Reserved)
	if err := a.store.Migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate the database: %w", err), a.store.Close())
	}
	if err := secret.Check(ctx, a.keys, a.store.Secrets, newKey, flags.AcceptUnreadableSecrets, a.log); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	if err := a.wire(ctx); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	if err := a.providers.Reseal(ctx, a.store.Secrets); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	if err := a.hooks().Reseal(ctx, a.store.Automations, a.log); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	if err := a.firstWorkspace(ctx); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	return a, nil
}

// firstWorkspace creates the default workspace on a new server.
func (a *App) firstWorkspace(ctx context.Context) error {
	_, err := a.store.Workspaces.Workspace(ctx, domain.DefaultWorkspace)
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return err
	}
	err = a.store.Workspaces.CreateWorkspace(ctx, &domain.Workspace{
		ID: domain.DefaultWorkspace, Name: "Default", Settings: domain.DefaultSettings(), CreatedAt: a.clock(),
	})
	if domain.ErrorCode(err) == domain.CodeConflict {
		return nil // created by another node meanwhile
	}
	return err
}

// committed distributes each change that this process commits. The order is part of its contract: event
// streams first, so that clients are not delayed by the other listeners.
func (a *App) committed(change *domain.Change) {
	if change.ConnectorChanges > 0 {
		connectorsChanged(a, change)
		return // such a change contains nothing else
	}
	a.broker.Publish(change.Events)
	a.loop.Committed(change)
	a.webhooks.Committed(change)
	a.metrics.Committed(change)
	a.metrics.Log(&a.log, change)
	a.traces.Committed(change)
	a.scheduling.Door.Committed(change)
	if a.node != nil {
		a.node.Committed(change)
	}
	if a.flags.TestHooks.Committed != nil {
		a.flags.TestHooks.Committed(change)
	}
}

// wire creates the components.
func (a *App) wire(ctx context.Context) error {
	a.broker = stream.New(stream.Config{Clock: a.clock, Newest: func(ctx context.Context, workspace string) (int64, error) {
		_, newest, err := a.store.Events.EventBounds(ctx, workspace)
		return newest, err
	}})
	var err error
	process := telemetry.Config{Clock: a.clock, Log: a.log, Version: a.flags.Version, Node: a.flags.NodeID}
	if a.traces, err = a.flags.OpenTraces(ctx, process, a.metrics); err != nil {
		return err
	}
	if err := a.wireProviders(); err != nil {
		return err
	}
	a.metrics.RegisterFigures(telemetry.Figures{
		Slot: a.store.Slot.Figures, Tasks: a.store.Tasks.TaskFigures, Files: a.store.Files.FileFigures, Clock: a.clock,
	})
	a.metrics.Gauge("fermata_breakers_open", "Models that are currently not called, because they failed or asked to be called later.",
		a.providers.Board.Resting)
	leases := &scheduler.LeaseManager{
		Leases: a.store.Nodes, TTL: a.flags.LeaseTTL, Clock: a.clock, Log: a.log, Recovered: a.metrics.Recovered,
	}
	a.wireNode(func() { leases.Look(); a.webhooks.Look() })
	a.wireLoop()
	leases.Door, leases.Drivers = a.scheduling.Door, a.loop
	a.uses = auth.NewUses(uses{a.store.Keys, a.store.SignIns, a.store.People}, a.clock, a.log)
	if err := (peopleParts{a}).wireIssuer(); err != nil {
		return err
	}
	handler, err := a.handler(ctx)
	if err != nil {
		return err
	}
	if a.tls, err = certificate.Open(a.flags.TLSCert, a.flags.TLSKey, a.clock, a.log); err != nil {
		return err
	}
	if a.tls != nil {
		a.metrics.Register(a.tls)
	}
	// HTTP/2 also without TLS, for proxies and clients that use it with prior knowledge.
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	a.http = &http.Server{
		Protocols:         protocols,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          stdlog.New(a.log, "", 0),
	}
	a.addServices(leases)
	if a.flags.TestHooks.Wired != nil {
		a.flags.TestHooks.Wired(a.parts())
	}
	return nil
}

// addServices registers the services in their start order; they stop in reverse order.
func (a *App) addServices(leases *scheduler.LeaseManager) {
	a.services.Add("database", lifecycle.Func{OnStop: func(context.Context) error { return a.store.Close() }})
	a.services.Add("traces", lifecycle.Func{OnStop: a.traces.Stop})
	a.services.Add("streams", a.broker)
	if a.node != nil {
		a.services.Add("bus", a.node)
	}
	a.services.Add("leases", leases) // released when nothing runs any more
	a.services.Add("run loop", a.loop)
	a.services.Add("recovery", lifecycle.Func{OnStop: leases.Drain})
	a.services.Add("tasks", a.scheduling.Tasks)
	a.services.Add("scheduler", a.scheduling.Loop)
	a.services.Add("news of providers", a.recovery)
	a.services.Add("connectors", lifecycle.Func{OnStop: a.connectors.Manager.Stop})
	a.services.Add("lists of connectors", a.refresher)
	a.services.Add("webhooks", a.webhooks)
	a.services.Add("housekeeping", a.housekeeping())
	a.services.Add("idempotency keys", releasing(a.store.Requests, a.log))
	a.services.Add("uses of keys", a.uses)
	a.services.Add("memory", memory.Service())
	a.scraped = telemetry.NewListener(a.flags.MetricsListen, a.metrics, a.log)
	a.services.Add("metrics", a.scraped)
	a.services.Add("http", lifecycle.Func{OnStart: a.listen, OnStop: a.stopHTTP})
}

func (a *App) wireProviders() error {
	allowed, err := egress.ParseAllowedHosts(a.flags.AllowedHosts...)
	if err != nil {
		return fmt.Errorf("FERMATA_ALLOWED_HOSTS: %w", err)
	}
	policy := egress.Policy{Allowed: allowed, Private: a.openAccess}
	a.hosts = newAllowedHosts(a.clock, a.store.Workspaces.Workspace)
	client := egress.NewClient(egress.Config{Policy: policy, Hosts: a.hosts.of, Failed: a.requestFailed})
	env, err := configured.ParseEnv(a.flags.ProviderEnv)
	if err != nil {
		return err
	}
	a.recovery = configured.NewRecovery(newsStore{a.store.Slot, a.store.Providers, a.store.Workspaces}, a.wakeForNetwork, a.log)
	a.providers = configured.New(configured.Config{
		Rows: a.store.Providers, Schemas: a.catalogue, Keys: a.keys, Env: env, Client: client, Clock: a.clock, NewID: a.newID,
		Script: a.flags.ScriptProvider, Back: a.recovery.Enqueue,
	})
	if err := a.wireWebhooks(client, policy); err != nil {
		return err
	}
	a.wireConnectors(client)
	return nil
}

// wakeForNetwork resumes a session that waits for its provider, which responds again.
func (a *App) wakeForNetwork(ctx context.Context, workspace, session string) error {
	_, err := a.scheduling.Door.Deliver(ctx, scheduler.EventRequest{
		Target: scheduler.Target{Workspace: workspace, Session: session}, Event: domain.NetworkAvailable{},
	})
	return err
}

// openAccess reports whether clients need no credentials, by the rules of auth, until the first key
// exists.
func (a *App) openAccess(ctx context.Context) bool { return a.auth.OpenCached(ctx) }

// requestFailed logs details for the operator that clients do not see: addresses, and the resolver of the
// name.
func (a *App) requestFailed(_ context.Context, origin string, reason egress.Reason, err error) {
	a.log.Info().Str("origin", origin).Str("reason", string(reason)).Err(err).Msg("an outgoing request failed")
}

func (a *App) wireLoop() {
	a.loop = orchestrator.New(orchestrator.Config{
		Store: loopStore{a.store, a.store.Sessions, a.store.Records}, Streams: a.broker, Models: a.providers.Models,
		Commands: a.catalogue, Outside: a.reachable(), Agents: a.agents(), Files: a.store.Files, Observer: a.metrics,
		Data:  func(workspace string) commands.Data { return a.store.ReadData(workspace) },
		Clock: a.clock, NewID: a.newID, Log: a.log, Grace: a.flags.ShutdownGrace, MarkKey: a.keys.Derive("prompt mark"),
		Hooks: orchestrator.Hooks{
			Rested:    func(s *domain.Session) { a.scheduling.Door.Rested(s) },
			CallSent:  func(s *domain.Session) { a.scheduling.Door.CallSent(s) },
			SafePoint: func(ctx context.Context, s *domain.Session) { a.scheduling.Queue.SafePoint(ctx, s) },
		},
	})
	a.wireScheduling()
}

// authenticator creates the authenticator of requests.
func (a *App) authenticator(origins auth.Origins) (*auth.Authenticator, error) {
	return auth.New(auth.Config{
		Origins: origins,
		RootKey: a.flags.RootKey, Loopback: a.flags.onLoopback(), Public: a.flags.public(), Nodes: a.flags.DatabaseURL != "",
		Keys: a.store.Keys, Workspaces: a.store.Workspaces, People: a.store.People, Uses: a.uses, Clock: a.clock,
		SignIns: peopleParts{a}.signIns(),
	})
}

// listen opens the port and serves until the server is stopped.
func (a *App) listen(ctx context.Context) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", a.flags.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w (if another program uses the address, stop it, or choose another one: --listen, FERMATA_LISTEN)",
			a.flags.Listen, err)
	}
	a.listener = listener
	go func() {
		if err := a.http.Serve(a.tls.Over(listener)); err != nil && !errors.Is(err, http.ErrServerClosed) {
			a.log.Error().Err(err).Msg("the HTTP server failed")
		}
	}()
	return nil
}

// stopHTTP ends the event streams with a bye event and waits for running requests.
func (a *App) stopHTTP(ctx context.Context) error {
	a.draining.Store(true)
	a.broker.Drain()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := a.http.Shutdown(ctx); err != nil {
		return a.http.Close()
	}
	// A client that does not read the bye event is disconnected at its write deadline, which is not
	// waited for.
	_ = a.broker.Left(ctx)
	return nil
}

// Start starts all services; it returns once the server accepts requests.
func (a *App) Start(ctx context.Context) error { return a.services.Start(ctx) }

// Stop stops all services in reverse order and waits for them.
func (a *App) Stop(ctx context.Context) error { return a.services.Stop(ctx) }

// Addr is the address that the server listens on, once started.
func (a *App) Addr() string { return a.listener.Addr().String() }

// URL is the address of the server on this machine, once started.
func (a *App) URL() string {
	host := a.Addr()
	if strings.HasPrefix(host, "[::]") {
		host = strings.Replace(host, "[::]", "localhost", 1)
	}
	if a.tls != nil {
		return "https://" + host
	}
	return "http://" + host
}
