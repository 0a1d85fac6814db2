package connectors

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// maxGone bounds the commands that are remembered although their server lists them no more.
const maxGone = 1000

// relist joins what the server lists now with what a person said of its commands before. Known
// commands keep their place, so that a server that lists in another order changes nothing, and
// new ones come behind. One of another definition is changed; one that is new is off until
// somebody has looked, unless it only reads and the person lets such ones in. One that is not
// listed is gone, and comes back with all that was said of it: what a person decided must not
// depend on what a server leaves out for a moment. Notes say what could not be taken.
func relist(before, listed []domain.ConnectorCommand, letReadIn bool) (now []domain.ConnectorCommand, notes []string) {
	fresh := map[string]*domain.ConnectorCommand{}
	var order []string
	for i := range listed {
		c := listed[i]
		if fresh[c.Name] != nil || !namePattern.MatchString(c.Name) {
			continue
		}
		if c.DefinitionHash == "" { // else its kind knows more of it that can mislead
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
			rejoin(c, was)
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
		asNew(c, letReadIn && !full) // where not all can be remembered, it may have been here before
		if left.take(c) {
			now = append(now, *c)
		}
	}
	return now, left.notes()
}

// rejoin gives a listed command what a person said of it before.
func rejoin(c, was *domain.ConnectorCommand) {
	c.Effect, c.RequireValidation, c.Timeout, c.Trusted = was.Effect, was.RequireValidation, was.Timeout, was.Trusted
	c.Sensitive, c.Reviewed, c.Decided = was.Sensitive, was.Reviewed, was.Decided
	c.State = stateOf(was)
	if (was.DefinitionHash != c.DefinitionHash || was.Remote != c.Remote) && c.State != domain.CommandOff {
		c.State = domain.CommandChanged
	}
	if c.State == domain.CommandChanged {
		c.LookedAt = lookedAt(was)
	}
}

// stateOf is the state that a command has, or had when it was listed last.
func stateOf(c *domain.ConnectorCommand) domain.CommandState {
	if c.State != domain.CommandGone {
		return c.State
	}
	if c.Before == "" {
		return domain.CommandOff
	}
	return c.Before
}

// asNew is what counts of a command that nobody has looked at.
func asNew(c *domain.ConnectorCommand, letReadIn bool) {
	if c.Effect == "" {
		c.Effect = domain.EffectNonIdempotent
	}
	c.RequireValidation, c.Trusted, c.State = c.Effect != domain.EffectRead, false, domain.CommandOff
	if c.Effect == domain.EffectRead && letReadIn {
		c.State, c.Reviewed = domain.CommandOffered, new(false)
	}
}

// gone is a command that its server does not list.
func gone(was *domain.ConnectorCommand) domain.ConnectorCommand {
	c := *was
	if c.State != domain.CommandGone {
		c.State, c.Before = domain.CommandGone, was.State
	}
	return c
}

// forget drops the oldest of too many that are gone: first those of which nobody said anything.
// full: there is no room for another.
func forget(all []domain.ConnectorCommand) (kept []domain.ConnectorCommand, full bool) {
	extra := -maxGone
	for i := range all {
		if all[i].State == domain.CommandGone {
			extra++
		}
	}
	full = extra >= 0
	for _, decided := range []bool{false, true} {
		all = slices.DeleteFunc(all, func(c domain.ConnectorCommand) bool {
			drop := extra > 0 && c.State == domain.CommandGone && c.Decided == decided
			if drop {
				extra--
			}
			return drop
		})
	}
	return all, full
}

// lookedAt is what a command was when somebody looked at it last.
func lookedAt(c *domain.ConnectorCommand) *domain.CommandTexts {
	if stateOf(c) == domain.CommandChanged {
		return c.LookedAt
	}
	if c.State == domain.CommandGone && c.Title == "" && c.Description == "" {
		return nil // its texts were dropped for want of room
	}
	return &domain.CommandTexts{Title: c.Title, Description: c.Description, Params: c.Params}
}

// room is how much may be kept of a list.
type room struct {
	commands, bytes int
	many, long      int // commands that were left out, by the bound that they broke
}

// listedBytes leaves room for those that are remembered without their texts.
const listedBytes = maxCommandBytes - maxGone*300

func (r *room) take(c *domain.ConnectorCommand) bool {
	own := *c
	own.LookedAt = nil // it is dropped first
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
		notes = append(notes, fmt.Sprintf("%s left out: a connector has %d at most.", some(r.many), maxCommands))
	}
	if r.long > 0 {
		notes = append(notes, fmt.Sprintf(
			"%s left out: those of a connector have %d bytes at most, all together.", some(r.long), listedBytes))
	}
	return notes
}

func some(n int) string {
	if n == 1 {
		return "1 command of the list was"
	}
	return fmt.Sprintf("%d commands of the list were", n)
}

// keepWithin drops what commands were before, and the texts of those that are gone, where
// there is no room for them: that a list can be stored counts for more.
func keepWithin(commands []domain.ConnectorCommand) error {
	if checkSize(commands) == nil {
		return nil
	}
	for i := range commands {
		c := &commands[i]
		if c.LookedAt = nil; c.State == domain.CommandGone {
			c.Title, c.Description, c.Params = "", "", json.RawMessage(`{"type":"object"}`)
		}
	}
	return checkSize(commands)
}

// taken is a connector's list as it is stored: its commands, and what people are told of it.
func taken(c *domain.Connector, listing Listing) (commands []domain.ConnectorCommand, detail string, err error) {
	commands, notes := relist(c.Commands, listing.Commands, c.OffersReadOnly())
	if err := keepWithin(commands); err != nil {
		return nil, "", err
	}
	return commands, leftOut(append(notes, listing.Notes...)), nil
}
