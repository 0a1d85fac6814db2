package commands

import (
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Env is what a command must know of the session and workspace it runs for. For a
// client's own change of data (no session) SessionID is empty.
type Env struct {
	WorkspaceID               string
	SessionID                 string
	SessionType               domain.SessionType
	Role                      domain.Role // the rights of who speaks: what needs more is refused
	RoundID                   string      // given to the executions that are made
	SessionRequiresValidation bool
	// Grants are those of the run's automation, whose uses are counted up to the answer at
	// hand; none in a CHAT. Allows: the run's policy lets pass what only the configuration
	// asks for.
	Grants   []*domain.Grant
	Allows   bool
	Settings domain.Settings
	Now      time.Time
	// Reference is the instant from which relative periods are read; zero: Now.
	Reference time.Time
	NewID     domain.IDSource
	// Clock measures how long commands take; nil: all that happens, happens at Now.
	Clock clock.Clock
}

func (e *Env) time() time.Time {
	if e.Clock == nil {
		return e.Now
	}
	return e.Clock()
}

func (e *Env) reference() time.Time {
	if e.Reference.IsZero() {
		return e.Now
	}
	return e.Reference
}

func (e *Env) calendar() (domain.Calendar, error) {
	calendar, err := e.Settings.Calendar()
	if err != nil {
		return domain.Calendar{}, fmt.Errorf("read the workspace's calendar: %w", err)
	}
	return calendar, nil
}

// change is a data change made on behalf of the env's session.
func (e *Env) change(noun, id, operation string) domain.DataChange {
	return domain.DataChange{Noun: noun, ID: id, Operation: operation, Count: 1, SessionID: e.SessionID}
}
