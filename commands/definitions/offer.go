package definitions

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// mostDefinitions bounds, in tokens, the definitions of all connectors and agents together; above it they
// are offered by name. A connector with more than mostOfConnector commands is offered by name in any case.
const (
	mostDefinitions = 4_000
	mostOfConnector = 20
)

// OwnParams are the schemas of the session's external commands.
func OwnParams(outside []domain.CommandSpec) map[string]json.RawMessage {
	own := make(map[string]json.RawMessage, len(outside))
	for i := range outside {
		own[outside[i].Name] = outside[i].Params
		if len(outside[i].Params) == 0 {
			own[outside[i].Name] = json.RawMessage(`{"type":"object"}`)
		}
	}
	return own
}

// Named are the external commands that are offered by name: all where their definitions are large, and those
// of a large connector. Those that were added to the session are not.
func (u Uses) Named(outside []domain.CommandSpec) map[string]bool {
	named := map[string]bool{}
	all, of := 0, map[string]int{}
	for i := range outside {
		spec := &outside[i]
		all += ai.DefinitionTokens(spec)
		of[spec.Connector]++
	}
	for i := range outside {
		spec := &outside[i]
		if all > mostDefinitions || spec.Connector != "" && of[spec.Connector] > mostOfConnector {
			named[spec.Name] = true
		}
	}
	for _, name := range u.Added {
		delete(named, name)
	}
	return named
}

// Families of the catalogue's commands. The family of a command from outside is its prefix.
const (
	FamilyData        = "data"         // reading zones, tools and entries
	FamilyDataChanges = "data_changes" // changing them
	FamilyTypes       = "types"
	FamilyDocuments   = "documents"
	FamilyAutomations = "automations"
	FamilyTasks       = "tasks"
	FamilySearch      = "search"
	FamilyControl     = "control"
)

// Offer is what the AI is offered in a session.
type Offer struct {
	// Whole are the commands with their definitions, short ones for those of the catalogue.
	Whole []domain.CommandSpec
	// Named are the external ones of which only the name is offered, until the AI asks for the definition or calls them.
	Named []domain.CommandSpec
	// Unused are those that the session may call, and is not offered, since the workspace has no use for them yet.
	Unused []domain.CommandSpec
}

// All are the commands that the session may call.
func (o *Offer) All() []domain.CommandSpec { return slices.Concat(o.Whole, o.Named, o.Unused) }

// Uses is what a workspace has: families of commands that act on it are offered with it.
type Uses struct {
	Zones, Documents bool
	// Added are the commands whose definitions were added to the session, of those that are offered by name.
	Added []string
}

// first are the commands with which an empty workspace begins, of families that need a zone.
var first = []string{"APP_STATE", "SCHEMA", "CREATE_ZONE"}

// Has reports whether a command of the catalogue has something to act on. outside are the external commands that
// the session may call: with the agent that writes documents, those about documents have a use.
func (u Uses) Has(family, name string, outside []domain.CommandSpec) bool {
	switch family {
	case FamilyData, FamilyDataChanges, FamilyTypes:
		return u.Zones || slices.Contains(first, name)
	case FamilySearch:
		return u.Zones || u.Documents
	case FamilyDocuments:
		return u.Documents || slices.ContainsFunc(outside, func(s domain.CommandSpec) bool { return s.BuiltInAgent })
	}
	return true
}

// Agents reports whether agents are offered: where the workspace has one of its own, or one was called.
func (u Uses) Agents(outside []domain.CommandSpec) bool {
	return slices.ContainsFunc(outside, func(s domain.CommandSpec) bool {
		return s.Source == domain.SourceAgent && (!s.BuiltInAgent || slices.Contains(u.Added, s.Name))
	})
}

// Params are those of the command that adds definitions.
type Params struct {
	Names []string `json:"names"`
}

// Row is a definition as the AI reads it.
type Row struct {
	Name        string             `json:"name"`
	Kind        domain.CommandKind `json:"kind"`
	Description string             `json:"description,omitempty"`
	Params      json.RawMessage    `json:"params"`
}

// Find is the command of this name in the catalogue, or on the wire to a model.
func Find(specs []domain.CommandSpec, name string) *domain.CommandSpec {
	name = strings.ToUpper(strings.TrimSpace(name))
	i := slices.IndexFunc(specs, func(s domain.CommandSpec) bool {
		return strings.ToUpper(s.Name) == name || strings.ToUpper(s.WireName()) == name
	})
	if i < 0 {
		return nil
	}
	return &specs[i]
}
