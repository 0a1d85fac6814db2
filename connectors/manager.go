package connectors

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Finder is the database access of a Manager.
type Finder interface {
	// ConnectorChanges counts the changes of a workspace's connectors. It is called in each round,
	// so it should normally be served from memory.
	ConnectorChanges(ctx context.Context, workspace string) (int64, error)
	Connectors(ctx context.Context, workspace string) ([]*outside.Connector, error)
	SetConnectorStatus(ctx context.Context, workspace, id string, status outside.ConnectorStatus, detail string) error
}

// Manager offers and executes the commands of the workspaces' connectors.
type Manager struct {
	rows   Finder
	kinds  map[outside.ConnectorKind]*Kind
	keys   *seal.Keys
	client *http.Client
	clock  clock.Clock
	called func(CallReport)
	grants func(c *outside.Connector, origin string, by domain.Author) *GrantStore // nil: sign-ins are not stored

	mu         sync.Mutex
	workspaces map[string]*workspace
	stopped    bool
	life       context.Context // of background refreshes
	end        context.CancelFunc
	closing    sync.WaitGroup // connections being closed, and background refreshes
}

const (
	// reloadTries and reloadDelay bound the retries of a background refresh that cannot read the
	// database.
	reloadTries = 5
	reloadDelay = 2 * time.Second
)

// Changed reloads a workspace's connectors in the background after a change, so that connections
// and programs of deleted or disabled connectors end now rather than at the next use. It does not
// block.
func (m *Manager) Changed(workspace string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped || m.workspaces[workspace] == nil {
		return
	}
	m.closing.Go(func() {
		for try := 1; ; try++ {
			ctx, cancel := context.WithTimeout(m.life, discoverTimeout)
			_, err := m.workspace(ctx, workspace)
			cancel()
			if err == nil || try == reloadTries || m.life.Err() != nil {
				return // the next use of its commands reloads it
			}
			select {
			case <-time.After(reloadDelay):
			case <-m.life.Done():
			}
		}
	})
}

// Known returns the workspaces whose connectors this process has loaded.
func (m *Manager) Known() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.workspaces))
}

// maxWorkspaces bounds the workspaces whose connectors are kept in memory. If it is exceeded, all
// others are released.
const maxWorkspaces = 1024

// workspace is the loaded state of one workspace's connectors. It is rebuilt after a change.
type workspace struct {
	changes   int64
	endpoints map[string]*endpoint // by connector ID
	offers    []domain.CommandSpec
	byName    map[string]*offer
}

// offer is a command that may be called.
type offer struct {
	endpoint *endpoint
	command  outside.ConnectorCommand
}

func newManager(c Config, kinds map[outside.ConnectorKind]*Kind) *Manager {
	m := &Manager{
		rows: c.Rows, kinds: kinds, keys: c.Keys, client: c.Client, clock: c.Clock, called: c.Called, workspaces: map[string]*workspace{},
	}
	m.life, m.end = context.WithCancel(context.Background())
	if m.called == nil {
		m.called = func(CallReport) {}
	}
	return m
}

// Offers returns the commands that a workspace's connectors currently offer, in a stable order. The
// result is shared and must not be modified.
func (m *Manager) Offers(ctx context.Context, id string) ([]domain.CommandSpec, error) {
	w, err := m.workspace(ctx, id)
	if err != nil {
		return nil, err
	}
	return w.offers, nil
}

// Stop closes idle connections immediately, and the others after their calls.
func (m *Manager) Stop(context.Context) error {
	m.end()
	m.mu.Lock()
	m.stopped = true
	m.retireAll(nil)
	m.mu.Unlock()
	m.closing.Wait()
	return nil
}

var nothing = &workspace{}

// workspace returns the state of a workspace, reloaded if it has changed.
func (m *Manager) workspace(ctx context.Context, id string) (*workspace, error) {
	changes, err := m.rows.ConnectorChanges(ctx, id)
	if err != nil {
		return nil, err
	}
	if changes == 0 {
		return nothing, nil
	}
	m.mu.Lock()
	known := m.workspaces[id]
	m.mu.Unlock()
	if known != nil && known.changes >= changes {
		return known, nil
	}
	rows, err := m.rows.Connectors(ctx, id)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known = m.workspaces[id]; known != nil && known.changes >= changes {
		return known, nil // another goroutine loaded it first
	}
	if known == nil && len(m.workspaces) >= maxWorkspaces {
		m.retireAll(nil)
	}
	w := m.build(rows, known)
	w.changes = changes
	m.workspaces[id] = w
	return w, nil
}

// build creates the state of a workspace from its rows. Unchanged connectors keep their connection
// and status.
func (m *Manager) build(rows []*outside.Connector, before *workspace) *workspace {
	w := &workspace{endpoints: map[string]*endpoint{}, byName: map[string]*offer{}, offers: []domain.CommandSpec{}}
	for _, c := range rows {
		kind := m.kinds[c.Kind]
		if kind == nil || !c.Enabled {
			continue
		}
		l := before.endpoint(c)
		if l == nil {
			l = newEndpoint(m, kind, c)
		}
		w.endpoints[c.ID] = l
		for _, command := range c.Commands {
			if command.State == outside.CommandOffered {
				spec := specOf(c, &command)
				w.offers = append(w.offers, spec)
				w.byName[spec.Name] = &offer{endpoint: l, command: command}
			}
		}
	}
	if before != nil {
		for id, l := range before.endpoints {
			if w.endpoints[id] != l {
				l.replace(connectorOf(rows, id))
			}
		}
	}
	return w
}

func connectorOf(rows []*outside.Connector, id string) *outside.Connector {
	for _, c := range rows {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// endpoint returns the endpoint of a connector that has not changed.
func (w *workspace) endpoint(c *outside.Connector) *endpoint {
	if w == nil {
		return nil
	}
	if l := w.endpoints[c.ID]; l != nil && l.connector.Version == c.Version {
		return l
	}
	return nil
}

// retireAll retires the endpoints of all workspaces except one. m.mu must be held.
func (m *Manager) retireAll(but *workspace) {
	for id, w := range m.workspaces {
		if w == but {
			continue
		}
		for _, l := range w.endpoints {
			m.closing.Go(l.retire)
		}
		delete(m.workspaces, id)
	}
}

// defaultDeadline is the deadline of a long-running command that sets none.
const defaultDeadline = 30 * time.Minute

// specOf returns the catalogue entry of a command.
func specOf(c *outside.Connector, command *outside.ConnectorCommand) domain.CommandSpec {
	spec := domain.CommandSpec{
		Name: c.Prefix + "." + command.Name, Kind: domain.KindAction, Role: domain.RoleMember, Effect: command.Effect,
		Source: string(c.Kind), Description: command.Description, Params: command.Params, Timeout: timeoutOf(command),
		Connector: c.ID, ConnectorName: c.Name,
		RequireValidation: command.RequireValidation, Trusted: command.Trusted, Sensitive: command.Sensitive,
		Documents: command.Documents, Probed: command.Probe != nil,
	}
	if !c.Reviewed(command) {
		spec.Unreviewed = !withholdTexts(&spec, c, command)
	}
	// A reading command that needs approval is handled like an action.
	if command.Effect == domain.EffectRead && !command.RequireValidation && !command.Sensitive && c.Kind != outside.ConnectorLongRunning {
		spec.Kind = domain.KindQuery
	}
	if len(spec.Params) == 0 {
		spec.Params = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if c.Kind == outside.ConnectorLongRunning {
		if spec.Deadline = command.Deadline; spec.Deadline == 0 {
			spec.Deadline = defaultDeadline
		}
	}
	return spec
}

func timeoutOf(command *outside.ConnectorCommand) time.Duration {
	if command.Timeout == 0 {
		return domain.CallTimeout
	}
	return min(command.Timeout, maxTimeout)
}
