package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// tool is a tool as described by the server.
type tool struct {
	command  outside.ConnectorCommand
	mirrored []mirror
	asTask   bool // it can only be called as a task (2025-11-25)
}

// wireTool is a tool on the wire. Annotations are hints, and pointers: a missing one promises
// nothing.
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

// toolSet is a fetched list. It is immutable.
type toolSet struct {
	tools []*tool
	notes []string
	ttl   time.Duration
}

// listed caches a session's list.
type listed struct {
	fetching chan struct{} // mutex: held while fetching
	mu       sync.Mutex
	last     *toolSet  // nil: none yet
	until    time.Time // end of its TTL; zero: stale
}

func newListed() *listed {
	l := &listed{fetching: make(chan struct{}, 1)}
	l.fetching <- struct{}{}
	return l
}

func (l *listed) stale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Time{}
}

// cached returns the cached list if it is still valid.
func (l *listed) cached() *toolSet {
	l.mu.Lock()
	defer l.mu.Unlock()
	if clock.System().Before(l.until) {
		return l.last
	}
	return nil
}

// sameTools reports whether two lists have the same definitions.
func sameTools(a, b []*tool) bool {
	return slices.EqualFunc(a, b, func(x, y *tool) bool { return x.command.DefinitionHash == y.command.DefinitionHash })
}

// toolList returns the list, from the server if the cache is stale. Only one goroutine fetches; the
// others wait until their own deadlines.
func (s *session) toolList(ctx context.Context, fresh bool) (*toolSet, error) {
	if known := s.list.cached(); known != nil && !fresh {
		return known, nil
	}
	select {
	case <-s.list.fetching:
	case <-ctx.Done():
		return nil, notSent("The server did not list its commands in time.", ctx.Err())
	}
	defer func() { s.list.fetching <- struct{}{} }()
	if known := s.list.cached(); known != nil && !fresh {
		return known, nil
	}
	s.list.mu.Lock()
	before := s.list.last
	s.list.until = clock.System().Add(maxTTL) // announcements from here on make it stale
	s.list.last = nil
	s.list.mu.Unlock()
	now, err := s.fetch(ctx)
	s.list.mu.Lock()
	switch received := s.list.until.IsZero(); {
	case err != nil:
		s.list.last, s.list.until = before, time.Time{}
	case received:
		s.list.last = now
	default:
		s.list.last, s.list.until = now, clock.System().Add(s.lifeOf(now.ttl))
	}
	s.list.mu.Unlock()
	if err == nil && before != nil && !sameTools(before.tools, now.tools) && s.changed != nil {
		s.changed() // the server does not announce changes
	}
	return now, err
}

const (
	minTTL = 10 * time.Second
	maxTTL = 24 * time.Hour
)

// lifeOf returns the TTL of a list.
func (s *session) lifeOf(ttl time.Duration) time.Duration {
	switch {
	case ttl > 0:
		return ttl
	case s.announces:
		return maxTTL
	}
	return maxListAge
}

// fetch reads all pages, within limits: a server could return cursors forever.
func (s *session) fetch(ctx context.Context) (*toolSet, error) {
	reading := &reading{names: map[string]int{}}
	cursor, size, ttl := "", 0, time.Duration(0)
	for range MaxPages {
		e := &exchange{}
		err := s.page(ctx, e, cursor)
		raw := e.result()
		if err != nil && raw == nil {
			return nil, listError(ctx, err)
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
			TTL   int64             `json:"ttlMs"`
		}
		if err := exactjson.Lenient(raw, &page); err != nil {
			return nil, notSent("The server's list of commands cannot be read.", err)
		}
		if size += len(raw); size > MaxListBytes {
			return nil, notSent("The server's list of commands is longer than 16 MiB.", nil)
		}
		if reading.add(page.Tools); len(reading.tools) > MaxTools {
			return nil, notSent(fmt.Sprintf("The server offers more than %d commands.", MaxTools), nil)
		}
		if page.TTL > 0 {
			ttl = max(minTTL, min(time.Duration(min(page.TTL, maxTTL.Milliseconds()))*time.Millisecond, maxTTL))
		}
		if page.Next == "" {
			return &toolSet{tools: reading.tools, notes: reading.notes, ttl: ttl}, nil
		}
		cursor = page.Next
	}
	return nil, notSent(fmt.Sprintf("The server's list of commands has more than %d pages.", MaxPages), nil)
}

func listError(ctx context.Context, err error) error {
	e := outsideError(ctx, err, true)
	e.Fault = faultBeforeCall(e.Fault)
	if e.Message == "" {
		e.Message = "The server does not support listing its commands."
	}
	return e
}

// reading converts tools to commands, in order and without duplicate names. Unusable ones are left
// out, with a note.
type reading struct {
	tools []*tool
	notes []string
	names map[string]int // index in tools, by our name
}

const maxNotes = 20

func (r *reading) add(page []json.RawMessage) {
	for _, raw := range page {
		t, why := readTool(raw)
		at, taken := 0, false
		if why == "" {
			at, taken = r.names[t.command.Name]
		}
		if taken {
			// Which of two tools wins must not depend on their order: a server could swap them.
			if other := r.tools[at]; t.command.Remote < other.command.Remote {
				r.tools[at] = t
			}
			why = "its name is taken by another command"
		}
		switch {
		case why == "":
			r.names[t.command.Name] = len(r.tools)
			r.tools = append(r.tools, t)
		case len(r.notes) < maxNotes:
			r.notes = append(r.notes, fmt.Sprintf("Command %d of the list was left out: %s.", len(r.tools)+len(r.notes)+1, why))
		}
	}
}

func readTool(raw json.RawMessage) (*tool, string) {
	var w wireTool
	if err := exactjson.Unmarshal(raw, &w); err != nil {
		return nil, "it cannot be decoded, or has a duplicate member"
	}
	if w.Name == "" || len(w.Name) > MaxNameBytes || strings.ContainsFunc(w.Name, unprintable) {
		return nil, "its name is invalid"
	}
	if len(w.Input) > MaxSchemaBytes {
		return nil, "its parameter schema is larger than 64 KiB"
	}
	var schema struct {
		Type string `json:"type"`
	}
	if exactjson.Unmarshal(w.Input, &schema) != nil || schema.Type != "object" {
		return nil, "its parameter schema does not describe an object"
	}
	mirrored, err := mirrorsOf(w.Input)
	if err != nil {
		return nil, err.Error()
	}
	hash, err := definitionHash(raw)
	if err != nil {
		return nil, "it cannot be decoded"
	}
	effect := hinted(w)
	return &tool{mirrored: mirrored, asTask: w.Execution.TaskSupport == "required", command: outside.ConnectorCommand{
		Name:              connectors.CommandName(w.Name),
		Title:             cut(firstOf(w.Title, w.Annotations.Title), MaxTitleBytes),
		Description:       cut(w.Description, MaxTextBytes),
		Params:            w.Input,
		Effect:            effect,
		RequireValidation: effect != domain.EffectRead,
		DefinitionHash:    hash,
		State:             outside.CommandOff,
		Remote:            w.Name,
	}}, ""
}

// hinted derives the default effect from the annotations; a person can change it.
func hinted(w wireTool) domain.CommandEffect {
	switch {
	case w.Annotations.ReadOnly != nil && *w.Annotations.ReadOnly:
		return domain.EffectRead
	case w.Annotations.Idempotent != nil && *w.Annotations.Idempotent:
		return domain.EffectIdempotent
	}
	return domain.EffectNonIdempotent
}

// definitionHash hashes the canonical form of the whole definition, except icons and _meta: any
// other part could mislead.
func definitionHash(raw json.RawMessage) (string, error) {
	fields, err := exactjson.Object(raw)
	if err != nil {
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

func unprintable(r rune) bool { return r < ' ' || r == utf8.RuneError || r == 0x7f }

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// cut shortens what a server sent.
func cut(s string, limit int) string {
	return shorten.Bytes(strings.ToValidUTF8(s, "\uFFFD"), limit)
}

func (l *toolSet) listing() connectors.Listing {
	out := connectors.Listing{TTL: l.ttl, Notes: l.notes}
	for _, t := range l.tools {
		out.Commands = append(out.Commands, t.command)
	}
	return out
}

func (l *toolSet) named(remote string) *tool {
	for _, t := range l.tools {
		if t.command.Remote == remote {
			return t
		}
	}
	return nil
}
