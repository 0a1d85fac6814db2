package automation

import "time"
import "github.com/fermata-dev/fermata/domain"

// DueWork is what the scheduler finds to do at a time, read in one query.
type DueWork struct {
	// Sessions and Automations that are due, earliest first.
	Sessions    []domain.SessionRef
	Automations []domain.AutomationRef
	// Tasks that are due: for their deadline or their service.
	Tasks []domain.TaskRef
	// Next is the earliest time after that; zero: none is known.
	Next time.Time
	// Waiting are the workspaces with a session in the queue or a due occurrence, Watching the automations
	// behind with the events, Failing those with so many failed runs that they may have to be disabled.
	// Only of a sweep.
	Waiting  []string
	Watching []domain.AutomationRef
	Failing  []domain.AutomationRef
	// Due have an occurrence that waits. Only of a sweep.
	Due []domain.AutomationRef
}
