package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// tool is one tool as the server describes it.
type tool struct {
	command  domain.ConnectorCommand
	mirrored []mirror
	asTask   bool // the server carries it out as a task only (2025-11-25)
}

// wireTool is what a server writes. Annotations are hints, and pointers: what is left out
// is no promise.
type wireTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Annotations struct {
		Title      string `json:"title"`
		ReadOnly   *bool  `json:"readOnlyHint"`
		Idempotent *bool  `json:"idempotentHint"`
	} `json:"annotations"`
	Execution struct {
		TaskSupport string `json:"taskSupport"`
	} `json:"execution"`
}

// listed is the list that a session got last.
type listed struct {
	mu      sync.Mutex
	tools   []*tool
	notes   []string
	ttl     time.Duration
	until   time.Time // the zero time: there is none
	changed bool
}

func (l *listed) stale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed = true
}

// toolList gives the list, from the server where it is not believed any more.
func (s *session) toolList(ctx context.Context, fresh bool) (*listed, error) {
	s.list.mu.Lock()
	defer s.list.mu.Unlock()
	if !fresh && !s.list.changed && clock.System().Before(s.list.until) {
		return &s.list, nil
	}
	s.list.changed = false
	tools, notes, ttl, err := s.fetch(ctx)
	if err != nil {
		s.list.changed = true
		return nil, err
	}
	s.list.tools, s.list.notes, s.list.ttl = tools, notes, ttl
	s.list.until = clock.System().Add(s.believed(ttl))
	return &s.list, nil
}

const (
	minTTL = 10 * time.Second
	maxTTL = 24 * time.Hour
)

// believed is for how long calls rely on a list.
func (s *session) believed(ttl time.Duration) time.Duration {
	switch {
	case ttl > 0:
		return ttl
	case s.hears:
		return maxTTL
	}
	return maxListAge
}

// fetch gets all pages, within bounds: a server could name a next one for ever.
func (s *session) fetch(ctx context.Context) (tools []*tool, notes []string, ttl time.Duration, err error) {
	reading := &reading{names: map[string]bool{}}
	cursor, size := "", 0
	for range MaxPages {
		e := &exchange{}
		if err := s.page(ctx, e, cursor); err != nil {
			return nil, nil, 0, listError(ctx, err)
		}
		raw := e.result()
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
			TTL   int64             `json:"ttlMs"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, nil, 0, notSent("The server's list of commands cannot be read.", err)
		}
		if size += len(raw); size > MaxListBytes {
			return nil, nil, 0, notSent("The server's list of commands is longer than 16 MiB.", nil)
		}
		if reading.add(page.Tools); len(reading.tools) > MaxTools {
			return nil, nil, 0, notSent(fmt.Sprintf("The server offers more than %d commands.", MaxTools), nil)
		}
		if page.TTL > 0 {
			ttl = max(minTTL, min(time.Duration(min(page.TTL, maxTTL.Milliseconds()))*time.Millisecond, maxTTL))
		}
		if page.Next == "" {
			return reading.tools, reading.notes, ttl, nil
		}
		cursor = page.Next
	}
	return nil, nil, 0, notSent(fmt.Sprintf("The server's list of commands has more than %d pages.", MaxPages), nil)
}

func listError(ctx context.Context, err error) error {
	e := outsideError(ctx, err, true)
	e.Fault = faultBeforeCall(e.Fault)
	if e.Message == "" {
		e.Message = "The server does not list its commands."
	}
	return e
}

// reading turns tools into commands: in their order, each name once, what cannot be used
// left out with a word about it.
type reading struct {
	tools []*tool
	notes []string
	names map[string]bool
}

const maxNotes = 20

func (r *reading) add(page []json.RawMessage) {
	for _, raw := range page {
		t, why := readTool(raw)
		if why == "" && r.names[t.command.Name] {
			why = "its name is another's"
		}
		switch {
		case why == "":
			r.names[t.command.Name] = true
			r.tools = append(r.tools, t)
		case len(r.notes) < maxNotes:
			r.notes = append(r.notes, fmt.Sprintf("Command %d of the list was left out: %s.", len(r.tools)+len(r.notes)+1, why))
		}
	}
}

func readTool(raw json.RawMessage) (*tool, string) {
	var w wireTool
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, "it cannot be read"
	}
	if w.Name == "" || len(w.Name) > MaxNameBytes || strings.ContainsFunc(w.Name, unprintable) {
		return nil, "its name cannot be used"
	}
	if len(w.Input) > MaxSchemaBytes {
		return nil, "its parameters take more than 64 KiB to describe"
	}
	var schema struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(w.Input, &schema) != nil || schema.Type != "object" {
		return nil, "its parameters are no object"
	}
	mirrored, err := mirrorsOf(w.Input)
	if err != nil {
		return nil, err.Error()
	}
	hash, err := definitionHash(raw)
	if err != nil {
		return nil, "it cannot be read"
	}
	effect := hinted(w)
	return &tool{mirrored: mirrored, asTask: w.Execution.TaskSupport == "required", command: domain.ConnectorCommand{
		Name:              commandName(w.Name),
		Title:             cut(firstOf(w.Title, w.Annotations.Title), MaxTitleBytes),
		Description:       cut(w.Description, MaxTextBytes),
		Params:            w.Input,
		Effect:            effect,
		RequireValidation: effect != domain.EffectRead,
		DefinitionHash:    hash,
		State:             domain.CommandOff,
		Remote:            w.Name,
	}}, ""
}

// hinted fills the form that a person looks at; nothing rests on it.
func hinted(w wireTool) domain.CommandEffect {
	switch {
	case w.Annotations.ReadOnly != nil && *w.Annotations.ReadOnly:
		return domain.EffectRead
	case w.Annotations.Idempotent != nil && *w.Annotations.Idempotent:
		return domain.EffectIdempotent
	}
	return domain.EffectNonIdempotent
}

// definitionHash is of the whole definition, in a form that does not change with spaces or
// the order of fields: pictures and the server's own remarks aside, all of it can mislead.
func definitionHash(raw json.RawMessage) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return "", err
	}
	delete(fields, "_meta")
	delete(fields, "icons")
	canonical, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// commandName is a tool's name as commands are named: upper case, with underscores.
func commandName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, name)
}

func unprintable(r rune) bool { return r < ' ' || r == utf8.RuneError || r == 0x7f }

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// cut shortens a text to a bound, at a rune, with a mark.
func cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

func (l *listed) listing() connectors.Listing {
	out := connectors.Listing{TTL: l.ttl, Notes: l.notes}
	for _, t := range l.tools {
		out.Commands = append(out.Commands, t.command)
	}
	return out
}

func (l *listed) named(remote string) *tool {
	for _, t := range l.tools {
		if t.command.Remote == remote {
			return t
		}
	}
	return nil
}
