package automation

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Write writes one automation if Version is still the one that was read; the repository
// increments it. Insert creates it. Bookkeeping writes only the scheduler's own fields (NextAt, SeenSeq),
// which are no change for people.
type Write struct {
	Automation  *Automation
	Insert      bool
	Bookkeeping bool
}

// DueAt implements Row: the next time at which the scheduler must look at the automation.
func (w Write) DueAt() *time.Time { return w.Automation.NextAt }

// DueAt implements Row, for the event about an automation.
func (a *Automation) DueAt() *time.Time { return a.NextAt }

// DueAt implements Row: an occurrence has no time of its own.
func (*Occurrence) DueAt() *time.Time { return nil }

// Writes are the automations that a change writes.
func Writes(c *domain.Change) []Write { return rows[Write](c) }

// Occurrences are the occurrences that a change writes, by (automation, scheduled instant).
func Occurrences(c *domain.Change) []*Occurrence { return rows[*Occurrence](c) }

func rows[T domain.Row](c *domain.Change) []T {
	var all []T
	for _, row := range c.Rows {
		if r, is := row.(T); is {
			all = append(all, r)
		}
	}
	return all
}
