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
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Finder is what a Manager needs of the database.
type Finder interface {
	// ConnectorChanges is how often a workspace's connectors were changed. It is asked for
	// each round, so it must come from memory as a rule.
	ConnectorChanges(ctx context.Context, workspace string) (int64, error)
	Connectors(ctx context.Context, workspace string) ([]*domain.Connector, error)
	SetConnectorStatus(ctx context.Context, workspace, id string, status domain.ConnectorStatus, detail string) error
}

// Manager offers the commands of the workspaces' connectors and carries them out.
type Manager struct {
	rows   Finder
	kinds  map[domain.ConnectorKind]*Kind
	keys   *seal.Keys
	client *http.Client
	clock  clock.Clock
	called func(CallReport)
	grants func(c *domain.Connector, origin string, by domain.Author) *GrantStore // nil: none are kept

	mu         sync.Mutex
	workspaces map[string]*workspace
	stopped    bool
	life       context.Context // of looks that nobody waits for
	end        context.CancelFunc
	closing    sync.WaitGroup // connections that are being closed, and looks at what was changed
}

const (
	// lookTries and lookAgain bound how often a change is looked at that cannot be read.
	lookTries = 5
	lookAgain = 2 * time.Second
)

// Changed looks at the connectors of a workspace that were changed: what was started for one
// that is gone or disabled ends now, and not when its commands are asked for next. It never waits.
func (m *Manager) Changed(workspace string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped || m.workspaces[workspace] == nil {
		return
	}
	m.closing.Go(func() {
		for try := 1; ; try++ {
			ctx, cancel := context.WithTimeout(m.life, lookTime)
			_, err := m.workspace(ctx, workspace)
			cancel()
			if err == nil || try == lookTries || m.life.Err() != nil {
				return // whoever asks for its commands next finds out
			}
			select {
			case <-time.After(lookAgain):
			case <-m.life.Done():
			}
		}
	})
}

// Known are the workspaces whose connectors this process has in use.
func (m *Manager) Known() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.workspaces))
}

// maxWorkspaces bounds the workspaces whose connectors are kept ready; one too many lets all
// others go.
const maxWorkspaces = 1024

// workspace is what is known of one: it is made anew when something changes.
type workspace struct {
	changes int64
	lines   map[string]*line // by the connector's id
	offers  []domain.CommandSpec
	byName  map[string]*offer
}

// offer is a command that may be called.
type offer struct {
	line    *line
	command domain.ConnectorCommand
}

func newManager(c Config, kinds map[domain.ConnectorKind]*Kind) *Manager {
	m := &Manager{
		rows: c.Rows, kinds: kinds, keys: c.Keys, client: c.Client, clock: c.Clock, called: c.Called, workspaces: map[string]*workspace{},
	}
	m.life, m.end = context.WithCancel(context.Background())
	if m.called == nil {
		m.called = func(CallReport) {}
	}
	return m
}

// Offers are the commands that a workspace's connectors offer now, in an order that stays.
// What it returns is shared: it is only read.
func (m *Manager) Offers(ctx context.Context, id string) ([]domain.CommandSpec, error) {
	w, err := m.workspace(ctx, id)
	if err != nil {
		return nil, err
	}
	return w.offers, nil
}

// Stop closes every connection that is not in use, and the others after their calls.
func (m *Manager) Stop(context.Context) error {
	m.end()
	m.mu.Lock()
	m.stopped = true
	m.letGo(nil)
	m.mu.Unlock()
	m.closing.Wait()
	return nil
}

var nothing = &workspace{}

// workspace gives what is known of a workspace, read again if it was changed since.
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
		return known, nil // another goroutine was faster
	}
	if known == nil && len(m.workspaces) >= maxWorkspaces {
		m.letGo(nil)
	}
	w := m.build(rows, known)
	w.changes = changes
	m.workspaces[id] = w
	return w, nil
}

// build makes a workspace of its rows. A connector that is as it was keeps its connection,
// and what is known of its server.
func (m *Manager) build(rows []*domain.Connector, before *workspace) *workspace {
	w := &workspace{lines: map[string]*line{}, byName: map[string]*offer{}, offers: []domain.CommandSpec{}}
	for _, c := range rows {
		kind := m.kinds[c.Kind]
		if kind == nil || !c.Enabled {
			continue
		}
		l := before.line(c)
		if l == nil {
			l = newLine(m, kind, c)
		}
		w.lines[c.ID] = l
		for _, command := range c.Commands {
			if command.State == domain.CommandOffered {
				spec := specOf(c, &command)
				w.offers = append(w.offers, spec)
				w.byName[spec.Name] = &offer{line: l, command: command}
			}
		}
	}
	if before != nil {
		for id, l := range before.lines {
			if w.lines[id] != l {
				l.replace(connectorOf(rows, id))
			}
		}
	}
	return w
}

func connectorOf(rows []*domain.Connector, id string) *domain.Connector {
	for _, c := range rows {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// line finds the line of a connector that has not changed.
func (w *workspace) line(c *domain.Connector) *line {
	if w == nil {
		return nil
	}
	if l := w.lines[c.ID]; l != nil && l.connector.Version == c.Version {
		return l
	}
	return nil
}

// letGo retires all lines but those of one workspace. m.mu is held.
func (m *Manager) letGo(but *workspace) {
	for id, w := range m.workspaces {
		if w == but {
			continue
		}
		for _, l := range w.lines {
			m.closing.Go(l.retire)
		}
		delete(m.workspaces, id)
	}
}

// defaultDeadline is how long a long-running command may go on where nobody said otherwise.
const defaultDeadline = 30 * time.Minute

// specOf is a command as the catalogue has it.
func specOf(c *domain.Connector, command *domain.ConnectorCommand) domain.CommandSpec {
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
	// One that reads, and that somebody wants to see first, stands and waits with the actions.
	if command.Effect == domain.EffectRead && !command.RequireValidation && !command.Sensitive && c.Kind != domain.ConnectorLongRunning {
		spec.Kind = domain.KindQuery
	}
	if len(spec.Params) == 0 {
		spec.Params = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if c.Kind == domain.ConnectorLongRunning {
		if spec.Deadline = command.Deadline; spec.Deadline == 0 {
			spec.Deadline = defaultDeadline
		}
	}
	return spec
}

func timeoutOf(command *domain.ConnectorCommand) time.Duration {
	if command.Timeout == 0 {
		return DefaultTimeout
	}
	return min(command.Timeout, maxTimeout)
}
