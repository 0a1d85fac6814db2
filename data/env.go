package data

import (
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/trust"
)

// Env is the author's context for the rules. SessionID is empty if a client changes its data itself.
type Env struct {
	WorkspaceID string
	SessionID   string
	// Author makes the change, or is the author of the round in which the AI makes it.
	Author   domain.Author
	Settings domain.Settings
	Now      time.Time
	// Reference is the instant from which relative periods are read; zero: Now.
	Reference time.Time
	NewID     domain.IDSource
	// Writer is the trust of what is written.
	Writer trust.Writer
}

// EnvOf is the env of a client's own change.
func EnvOf(w *domain.Workspace, now time.Time, newID domain.IDSource) Env {
	return Env{WorkspaceID: w.ID, Settings: w.Settings, Now: now, NewID: newID, Writer: trust.ByPerson()}
}

// Calendar is the workspace's.
func (e *Env) Calendar() (calendar.Calendar, error) {
	dates, err := calendar.Of(&e.Settings)
	if err != nil {
		return calendar.Calendar{}, fmt.Errorf("read the workspace's calendar: %w", err)
	}
	return dates, nil
}

// Resolve reads a period, as seen from the reference.
func (e *Env) Resolve(period calendar.Period, dates calendar.Calendar) (calendar.Span, error) {
	at := e.Reference
	if at.IsZero() {
		at = e.Now
	}
	return period.Resolve(at, dates)
}

// change is a data change made on behalf of the env's session.
func (e *Env) change(noun, id, operation string) domain.DataChange {
	return domain.DataChange{Noun: noun, ID: id, Operation: operation, Count: 1, SessionID: e.SessionID}
}
