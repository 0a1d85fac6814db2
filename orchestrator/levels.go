package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/prompt"
)

// userDataAge bounds how long level 2 is believed without a look: another node may
// have changed the data.
const userDataAge = 5 * time.Second

// alwaysSentEntries is how many of the latest entries of an always_send tool are
// sent with every call.
const alwaysSentEntries = 50

// levels caches the two levels of the prompt that precede the messages. Level 1 has the same bytes for the
// same input; level 2 changes with the user's data.
type levels struct {
	key      []byte // of the marks in level 2
	mu       sync.Mutex
	system   map[string]system // by everything that level 1 is made of
	userData map[string]*userData
}

// system is level 1, with the workspace's own texts.
type system struct {
	text  string
	rules []prompt.Rule
	// outside are the commands that other servers offer, where level 2 documents them; named those that are
	// offered by name.
	outside, named []domain.CommandSpec
}

// userData is what a workspace's level 2 is made of, and level 2 as it was made of it for
// each set of rules and grants.
type userData struct {
	documents []userdata.Document
	tools     []prompt.ToolData
	uses      definitions.Uses
	stored    []domain.Provenance // the sources of the external content in them
	at        time.Time
	texts     map[string]string
}

type level struct {
	system, userData string
	stored           []domain.Provenance // the sources of external content in userData
}

func newLevels(key []byte) *levels {
	return &levels{key: key, system: map[string]system{}, userData: map[string]*userData{}}
}

func (l *levels) of(
	ctx context.Context,
	view *domain.View,
	agent *userdata.AgentDefinition,
	protocol domain.Protocol,
	offer definitions.Offer,
	data commands.Data,
	now time.Time,
) (level, error) {
	system, err := l.first(view, protocol, offer)
	if err != nil {
		return level{}, err
	}
	have, err := l.read(ctx, view.Workspace.ID, data, now)
	if err != nil {
		return level{}, err
	}
	second, err := l.text(view, agent, system, have)
	return level{system: system.text, userData: second, stored: have.stored}, err
}

// first is level 1, cached by the settings it is made of. It contains the limits of this session, but not
// how far they are used.
func (l *levels) first(view *domain.View, protocol domain.Protocol, offer definitions.Offer) (system, error) {
	specs, outside := apart(offer.Whole)
	if protocol == domain.ProtocolNative { // its tools have their definitions
		outside = nil
	}
	s, settings := view.Session, &view.Workspace.Settings
	t, inForce := s.Type, settings.LimitsOf(s)
	if own := s.Budgets.MaxTokensPerRound; own != nil {
		inForce.MaxTokensPerRound = own
	}
	in := prompt.Level1Input{SessionType: t, Settings: settings, Protocol: protocol, Specs: specs, Limits: inForce}
	if t == domain.Run {
		in.Validation, in.Granted = s.Approving(settings).Policy, len(view.Grants) > 0
	}
	key, err := keyOf(&in)
	if err != nil {
		return system{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	have, ok := l.system[key]
	if !ok {
		if len(l.system) > 256 {
			clear(l.system)
		}
		have.text, have.rules = prompt.Level1(in)
		l.system[key] = have
	}
	have.outside, have.named = outside, offer.Named
	return have, nil
}

// keyOf is everything that level 1 is made of.
func keyOf(in *prompt.Level1Input) (string, error) {
	settings := in.Settings
	of, err := json.Marshal([]any{in.Limits, in.Validation, in.Granted, settings.PromptChunks, settings.AfterActions})
	if err != nil {
		return "", fmt.Errorf("encode what level 1 is made of: %w", err)
	}
	var key strings.Builder
	fmt.Fprintf(&key, "%s|%s|%s|%s|%d|%x",
		in.SessionType, in.Protocol, settings.Language, settings.PromptDetail, settings.MaxCallsPerResponse, sha256.Sum256(of))
	for _, spec := range in.Specs {
		key.WriteString("|" + spec.Name)
		if spec.Source == domain.SourceAgent { // its texts are the workspace's
			key.WriteString("=" + spec.Description)
		}
	}
	return key.String(), nil
}

// apart keeps the texts of other servers about their commands out of level 1. A model with native tools
// gets them there; others read them in level 2.
func apart(specs []domain.CommandSpec) (own, outside []domain.CommandSpec) {
	for i := range specs {
		if specs[i].External() {
			outside = append(outside, specs[i])
		} else {
			own = append(own, specs[i])
		}
	}
	return own, outside
}

// unused are grants without their use counts, which are not part of the prompt.
func unused(grants []*domain.Grant) []*domain.Grant {
	plain := make([]*domain.Grant, len(grants))
	for i, g := range grants {
		own := *g
		own.Uses, own.UsesInRun = 0, 0
		plain[i] = &own
	}
	return plain
}

// read returns the data of level 2, from the cache if it is recent enough.
func (l *levels) read(ctx context.Context, workspace string, data commands.Data, now time.Time) (*userData, error) {
	l.mu.Lock()
	have, ok := l.userData[workspace]
	l.mu.Unlock()
	if ok && now.Sub(have.at) < userDataAge {
		return have, nil
	}
	fresh, err := readUserData(ctx, data)
	if err != nil {
		return nil, err
	}
	fresh.at = now
	return l.keep(workspace, fresh), nil
}

// text is level 2 of a session, made once for each set of rules and grants: the workspace's rules, a run's grants, the
// published documents and the tools that are always sent.
func (l *levels) text(view *domain.View, agent *userdata.AgentDefinition, first system, have *userData) (string, error) {
	in := prompt.Level2Input{
		Key: l.key, WorkspaceID: view.Workspace.ID, Agent: agent, Rules: first.rules, Grants: unused(view.Grants),
		Documents: have.documents, Tools: have.tools, Commands: first.outside, Named: first.named,
	}
	of, err := json.Marshal([]any{in.Rules, in.Grants, in.Commands, in.Named, agent})
	if err != nil {
		return "", fmt.Errorf("encode what level 2 is made of: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text, known := have.texts[string(of)]
	if !known {
		if len(have.texts) > 16 {
			clear(have.texts)
		}
		text = prompt.Level2(in)
		have.texts[string(of)] = text
	}
	return text, nil
}

// keep puts what was read in the cache.
func (l *levels) keep(workspace string, fresh *userData) *userData {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.userData) > 4096 {
		clear(l.userData)
	}
	l.userData[workspace] = fresh
	return fresh
}

func readUserData(ctx context.Context, data commands.Data) (*userData, error) {
	documents, err := data.Documents(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the documents: %w", err)
	}
	tools, err := data.Tools(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	zones, err := data.Zones(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the zones: %w", err)
	}
	found := &userData{
		documents: documents, texts: map[string]string{},
		uses: definitions.Uses{Zones: len(zones) > 0, Documents: len(documents) > 0},
	}
	for _, tool := range tools {
		if !tool.AlwaysSend {
			continue
		}
		entries, _, err := data.Entries(ctx, userdata.EntryFilter{ToolID: tool.ID, Limit: alwaysSentEntries, Descending: true})
		if err != nil {
			return nil, fmt.Errorf("read the entries of %s: %w", tool.ID, err)
		}
		zone, err := data.Zone(ctx, tool.ZoneID)
		if err != nil {
			return nil, fmt.Errorf("read the zone of %s: %w", tool.ID, err)
		}
		found.tools = append(found.tools, prompt.ToolData{Tool: tool, ZoneName: zone.Name, ZoneTrust: zone.Trust, Entries: entries})
	}
	found.stored = prompt.StoredIn(found.documents, found.tools)
	return found, nil
}

// uses is what the workspace has, as it was read last; all before that.
func (l *levels) uses(workspace string) definitions.Uses {
	l.mu.Lock()
	defer l.mu.Unlock()
	if have := l.userData[workspace]; have != nil {
		return have.uses
	}
	return definitions.Uses{Zones: true, Documents: true}
}

// storedIn are the sources of external content in the workspace's level 2, as far as it is cached.
func (l *levels) storedIn(workspace string) []domain.Provenance {
	l.mu.Lock()
	defer l.mu.Unlock()
	if have := l.userData[workspace]; have != nil {
		return have.stored
	}
	return nil
}

// knows reports whether level 2's data is cached and unchanged.
func (l *levels) knows(workspace string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.userData[workspace] != nil
}

// peek is the cached level 2 of a session, of any age; "" if there is none.
func (l *levels) peek(view *domain.View, first system) string {
	l.mu.Lock()
	have := l.userData[view.Workspace.ID]
	l.mu.Unlock()
	if have == nil {
		return ""
	}
	text, err := l.text(view, nil, first, have)
	if err != nil {
		return ""
	}
	return text
}

// forget: the workspace's data changed.
func (l *levels) forget(workspace string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.userData, workspace)
}
