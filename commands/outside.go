package commands

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
)

// entry finds a command: one of the catalogue's own, else one from outside that the session
// is offered. nil: there is no such command, or it is not offered here.
func (c *Catalogue) entry(env *Env, name string) *command {
	if own := c.commands[name]; own != nil {
		if !env.offers(&own.spec) {
			return nil
		}
		return own
	}
	for i := range env.Outside {
		if env.Outside[i].Name == name {
			return outsider(&c.offered, env.Outside[i])
		}
	}
	return nil
}

// outsider is the entry of a command from outside, made of nothing but its spec.
func outsider(offered *definitions.Cache, spec domain.CommandSpec) *command {
	entry := &command{own: spec.Params, spec: spec}
	if len(entry.own) == 0 {
		entry.own = json.RawMessage(`{"type":"object"}`)
	}
	entry.spec.Timeout = cmp.Or(max(spec.Timeout, 0), domain.CallTimeout)
	entry.spec.Role = cmp.Or(spec.Role, domain.RoleMember)
	switch spec.Kind {
	case domain.KindQuery:
		entry.words = func(_ context.Context, t *call) domain.Text { return ExternalText(t.name, t.params) }
		entry.query = func(ctx context.Context, t *call) (answer, error) { return askOutside(ctx, t, &entry.spec) }
	case domain.KindAction:
		entry.spec.Params = offered.WithFlags(entry.own)
		entry.describe = func(_ context.Context, t *call) (card, error) { return outsideCard(&t.env, &entry.spec, t), nil }
	}
	return entry
}

// external reports whether an action is carried out by another server.
func (c *command) external() bool { return c.spec.External() }

// wordsBytes bounds the params in what people read of a command from outside.
const wordsBytes = 200

// ExternalText describes a call of another server's command for people: its name and parameters, never
// what that server wrote about it. The exact name and parameters are in the card's details.
func ExternalText(name string, params json.RawMessage) domain.Text {
	text := outsideName(name)
	if given := paramWords(params); given != (domain.Text{}) {
		text = domain.Say("%s (%s)", "%s (%s)", text, given)
	}
	return text
}

// outsideName formats STUDIO.RENDER_FILM as "Render film on STUDIO".
func outsideName(name string) domain.Text {
	prefix, own, found := strings.Cut(visible.Line(name), ".")
	if !found || prefix == "" || own == "" {
		return domain.Same(visible.Line(name))
	}
	own = strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-.", r) {
			return ' '
		}
		return r
	}, own)
	if own == strings.ToUpper(own) {
		own = strings.ToLower(own)
	}
	first, size := utf8.DecodeRuneInString(own)
	return domain.Say("%s on %s", "%s sur %s", string(unicode.ToUpper(first))+own[size:], prefix)
}

// paramWords formats parameters as "title: “First”, length: 3", in their order.
func paramWords(params json.RawMessage) domain.Text {
	dec := json.NewDecoder(bytes.NewReader(params))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return domain.Same(shorten.Characters(visible.Line(string(params)), wordsBytes))
	}
	var said []domain.Text
	size := 0
	for dec.More() && size < wordsBytes {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		text := domain.Same(visible.Line(string(value)))
		var words string
		if json.Unmarshal(value, &words) == nil && string(value) != "null" {
			text = nameText(words)
		}
		one := domain.Say("%s: %s", "%s : %s", visible.Line(fmt.Sprint(name)), text)
		said, size = append(said, one), size+len(one.EN)
	}
	if dec.More() { // omissions are marked, also where the text ends at the limit
		said = append(said, domain.Same("…"))
	}
	all := domain.Join(", ", said...)
	return domain.Text{EN: shorten.Characters(all.EN, wordsBytes), FR: shorten.Characters(all.FR, wordsBytes)}
}

// outsideCard shows a person what would be sent, to whom.
func outsideCard(env *Env, spec *domain.CommandSpec, t *call) card {
	d := card{text: ExternalText(spec.Name, t.params), after: t.params, outside: true, version: definition(spec, t)}
	if spec.Effect != domain.EffectRead {
		d.warnings = append(d.warnings, domain.Say(
			"It acts outside Fermata, and cannot be undone here.",
			"Cela agit hors de Fermata et ne peut pas être annulé ici.",
		))
	}
	if len(spec.Documents) > 0 {
		d.warnings = append(d.warnings, domain.Say("It sends these documents along: %s.", "Il envoie aussi ces documents : %s.",
			strings.Join(spec.Documents, ", ")))
	}
	if t.execution != nil && env.Unsettled[t.execution.CommandID] {
		d.person = domain.Say("The same action was sent before, and it is not known whether it was done.",
			"La même action a déjà été envoyée, et on ne sait pas si elle a été faite.")
	}
	if spec.RequireValidation {
		d.asks = domain.Say("The command %s asks for it.", "La commande %s le demande.", quoted(outsideName(spec.Name)))
	}
	return d
}

// definition is what an approval of a call covers: another connector, effect or schema behind the same
// name is another command.
func definition(spec *domain.CommandSpec, t *call) string {
	own := t.catalogue.entry(&t.env, spec.Name).own
	parts := []string{"definition", spec.Connector, string(spec.Effect), spec.Description, string(own)}
	return hash(append(parts, spec.Documents...)...)
}

// Reachable drops the commands from outside that a model could not name: two that look the
// same on the wire, or one that looks like a command of the catalogue. The first counts.
func (c *Catalogue) Reachable(outside []domain.CommandSpec) []domain.CommandSpec {
	seen := make(map[string]bool, len(outside))
	return slices.DeleteFunc(slices.Clone(outside), func(spec domain.CommandSpec) bool {
		wire := spec.WireName()
		taken := seen[wire] || c.commands[wire] != nil || len(wire) > domain.MaxWireName || strings.TrimSpace(wire) == ""
		seen[wire] = true
		return taken
	})
}
