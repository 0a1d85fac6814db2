package connectors

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// maxGone bounds the stored commands that their server no longer lists.
const maxGone = 1000

// relist merges the server's current list with the stored settings. Known commands keep their
// position, so that a different order at the server changes nothing, and new ones are appended. A
// command with another definition becomes changed. A new one is off until it is reviewed, unless it
// is read-only and the connector offers those. One that is no longer listed becomes gone and keeps
// its settings for when it returns: a person's decisions must not depend on what a server omits
// temporarily. notes describe what was left out.
func relist(before, listed []outside.ConnectorCommand, offerReadOnly bool) (now []outside.ConnectorCommand, notes []string) {
	fresh := map[string]*outside.ConnectorCommand{}
	var order []string
	for i := range listed {
		c := listed[i]
		if fresh[c.Name] != nil || !namePattern.MatchString(c.Name) {
			continue
		}
		if c.DefinitionHash == "" { // otherwise the kind hashed more than we see here
			c.DefinitionHash = DefinitionHash(&c)
		}
		fresh[c.Name] = &c
		order = append(order, c.Name)
	}
	known, left := map[string]bool{}, &room{}
	for i := range before {
		was := &before[i]
		known[was.Name] = true
		if c := fresh[was.Name]; c != nil {
			restoreSettings(c, was)
			if left.take(c) {
				now = append(now, *c)
				continue
			}
		}
		now = append(now, gone(was))
	}
	var full bool
	now, full = forget(now)
	for _, name := range order {
		c := fresh[name]
		if known[name] {
			continue
		}
		setDefaults(c, offerReadOnly && !full) // when full, it may be a known command that was dropped
		if left.take(c) {
			now = append(now, *c)
		}
	}
	return now, left.notes()
}

// restoreSettings restores a person's settings of a listed command.
func restoreSettings(c, was *outside.ConnectorCommand) {
	c.Effect, c.RequireValidation, c.Timeout, c.Trusted = was.Effect, was.RequireValidation, was.Timeout, was.Trusted
	c.Sensitive, c.Reviewed, c.Decided = was.Sensitive, was.Reviewed, was.Decided
	c.State = stateOf(was)
	if (was.DefinitionHash != c.DefinitionHash || was.Remote != c.Remote) && c.State != outside.CommandOff {
		c.State = outside.CommandChanged
	}
	if c.State == outside.CommandChanged {
		c.LookedAt = reviewedTexts(was)
	}
}

// stateOf returns the state of a command, or its last state before it was gone.
func stateOf(c *outside.ConnectorCommand) outside.CommandState {
	if c.State != outside.CommandGone {
		return c.State
	}
	if c.Before == "" {
		return outside.CommandOff
	}
	return c.Before
}

// setDefaults sets the defaults of a command that has not been reviewed.
func setDefaults(c *outside.ConnectorCommand, offerReadOnly bool) {
	if c.Effect == "" {
		c.Effect = domain.EffectNonIdempotent
	}
	c.RequireValidation, c.Trusted, c.State = c.Effect != domain.EffectRead, false, outside.CommandOff
	if c.Effect == domain.EffectRead && offerReadOnly {
		c.State, c.Reviewed = outside.CommandOffered, new(false)
	}
}

// gone marks a command as no longer listed by its server.
func gone(was *outside.ConnectorCommand) outside.ConnectorCommand {
	c := *was
	if c.State != outside.CommandGone {
		c.State, c.Before = outside.CommandGone, was.State
	}
	return c
}

// forget drops the oldest gone commands beyond maxGone, first those without decisions of a person.
// full is true if no further command fits.
func forget(all []outside.ConnectorCommand) (kept []outside.ConnectorCommand, full bool) {
	extra := -maxGone
	for i := range all {
		if all[i].State == outside.CommandGone {
			extra++
		}
	}
	full = extra >= 0
	for _, decided := range []bool{false, true} {
		all = slices.DeleteFunc(all, func(c outside.ConnectorCommand) bool {
			drop := extra > 0 && c.State == outside.CommandGone && c.Decided == decided
			if drop {
				extra--
			}
			return drop
		})
	}
	return all, full
}

// reviewedTexts returns the definition of a command at its last review.
func reviewedTexts(c *outside.ConnectorCommand) *outside.CommandTexts {
	if stateOf(c) == outside.CommandChanged {
		return c.LookedAt
	}
	if c.State == outside.CommandGone && c.Title == "" && c.Description == "" {
		return nil // its texts were dropped to save space
	}
	return &outside.CommandTexts{Title: c.Title, Description: c.Description, Params: c.Params}
}

// room tracks the remaining space for a list of commands.
type room struct {
	commands, bytes int
	many, long      int // commands left out, by the limit they exceeded
}

// listedBytes leaves room for gone commands without their texts.
const listedBytes = maxCommandBytes - maxGone*300

func (r *room) take(c *outside.ConnectorCommand) bool {
	own := *c
	own.LookedAt = nil // dropped first if space is short
	text, err := json.Marshal(&own)
	switch {
	case r.commands == maxCommands:
		r.many++
		return false
	case err != nil || r.bytes+len(text)+1 > listedBytes:
		r.long++
		return false
	}
	r.commands++
	r.bytes += len(text) + 1
	return true
}

func (r *room) notes() []string {
	var notes []string
	if r.many > 0 {
		notes = append(notes, fmt.Sprintf("%s left out: a connector can have at most %d.", some(r.many), maxCommands))
	}
	if r.long > 0 {
		notes = append(notes, fmt.Sprintf(
			"%s left out: the commands of a connector can have at most %d bytes in total.", some(r.long), listedBytes))
	}
	return notes
}

func some(n int) string {
	if n == 1 {
		return "1 command of the list was"
	}
	return fmt.Sprintf("%d commands of the list were", n)
}

// trimToLimit drops reviewed definitions and the texts of gone commands if there is not enough room:
// storing the list is more important.
func trimToLimit(commands []outside.ConnectorCommand) error {
	if checkSize(commands) == nil {
		return nil
	}
	for i := range commands {
		c := &commands[i]
		if c.LookedAt = nil; c.State == outside.CommandGone {
			c.Title, c.Description, c.Params = "", "", json.RawMessage(`{"type":"object"}`)
		}
	}
	return checkSize(commands)
}

// taken returns a connector's list as it is stored, and the notes about it for people.
func taken(c *outside.Connector, listing Listing) (commands []outside.ConnectorCommand, detail string, err error) {
	commands, notes := relist(c.Commands, listing.Commands, c.OffersReadOnly())
	if err := trimToLimit(commands); err != nil {
		return nil, "", err
	}
	return commands, leftOut(append(notes, listing.Notes...)), nil
}
