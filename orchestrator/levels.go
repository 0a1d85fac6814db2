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
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
)

// userDataAge bounds how long level 2 is believed without a look: another node may
// have changed the data.
const userDataAge = 5 * time.Second

// alwaysSentEntries is how many of the latest entries of an always_send tool are
// sent with every call.
const alwaysSentEntries = 50

// levels caches the two levels of the prompt that stand before the messages. Level 1
// is the same bytes for the same input; level 2 changes with the user's data.
type levels struct {
	mu       sync.Mutex
	system   map[string]string // by everything that level 1 is made of
	userData map[string]userData
}

type userData struct {
	text string
	at   time.Time
}

type level struct{ system, userData string }

func newLevels() *levels {
	return &levels{system: map[string]string{}, userData: map[string]userData{}}
}

func (l *levels) of(ctx context.Context, view *domain.View, protocol domain.Protocol, specs []domain.CommandSpec, data commands.Data, now time.Time) (level, error) {
	system, err := l.first(view, protocol, specs)
	if err != nil {
		return level{}, err
	}
	second, err := l.second(ctx, view.Workspace.ID, data, now)
	return level{system: system, userData: second}, err
}

// first is level 1, from the cache where the settings it is made of are the same. The
// limits are told as they are for this session; how far they are used is not.
func (l *levels) first(view *domain.View, protocol domain.Protocol, specs []domain.CommandSpec) (string, error) {
	s, settings := view.Session, &view.Workspace.Settings
	t, inForce := s.Type, settings.LimitsFor(s.Type)
	if own := s.Budgets.MaxTokensPerRound; own != nil {
		inForce.MaxTokensPerRound = own
	}
	in := prompt.Level1Input{SessionType: t, Settings: settings, Protocol: protocol, Specs: specs, Limits: inForce}
	if t == domain.Automation {
		in.Validation, in.Grants = s.ValidationPolicy(settings), unused(view.Grants)
	}
	of, err := json.Marshal([]any{inForce, in.Validation, in.Grants, settings.PromptChunks})
	if err != nil {
		return "", fmt.Errorf("encode what level 1 is made of: %w", err)
	}
	var key strings.Builder
	key.WriteString(fmt.Sprintf("%s|%s|%s|%s|%d|%x", t, protocol, settings.Language, settings.PromptDetail, settings.MaxCallsPerResponse, sha256.Sum256(of)))
	for _, spec := range specs {
		key.WriteString("|" + spec.Name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if text, ok := l.system[key.String()]; ok {
		return text, nil
	}
	if len(l.system) > 256 {
		clear(l.system)
	}
	text := prompt.Level1(in)
	l.system[key.String()] = text
	return text, nil
}

// unused are grants without the count of their uses, which does not stand in level 1.
func unused(grants []*domain.Grant) []*domain.Grant {
	plain := make([]*domain.Grant, len(grants))
	for i, g := range grants {
		own := *g
		own.Uses, own.UsesInRun = 0, 0
		plain[i] = &own
	}
	return plain
}

// second is level 2: published documents and the tools that are always sent.
func (l *levels) second(ctx context.Context, workspace string, data commands.Data, now time.Time) (string, error) {
	l.mu.Lock()
	have, ok := l.userData[workspace]
	l.mu.Unlock()
	if ok && now.Sub(have.at) < userDataAge {
		return have.text, nil
	}
	documents, err := data.Documents(ctx)
	if err != nil {
		return "", fmt.Errorf("read the documents: %w", err)
	}
	tools, err := data.Tools(ctx, "")
	if err != nil {
		return "", fmt.Errorf("read the tools: %w", err)
	}
	var sent []prompt.ToolData
	for _, tool := range tools {
		if !tool.AlwaysSend {
			continue
		}
		entries, _, err := data.Entries(ctx, domain.EntryFilter{ToolID: tool.ID, Limit: alwaysSentEntries, Descending: true})
		if err != nil {
			return "", fmt.Errorf("read the entries of %s: %w", tool.ID, err)
		}
		zone, err := data.Zone(ctx, tool.ZoneID)
		if err != nil {
			return "", fmt.Errorf("read the zone of %s: %w", tool.ID, err)
		}
		sent = append(sent, prompt.ToolData{Tool: tool, ZoneName: zone.Name, Entries: entries})
	}
	text := prompt.Level2(documents, sent)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.userData) > 4096 {
		clear(l.userData)
	}
	l.userData[workspace] = userData{text: text, at: now}
	return text, nil
}

// peek is level 2 as it was last, "" when it was not needed before.
func (l *levels) peek(workspace string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.userData[workspace].text
}

// forget: the workspace's data changed.
func (l *levels) forget(workspace string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.userData, workspace)
}
