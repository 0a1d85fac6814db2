package domain

import "time"

// DueWork is what the scheduler finds to do at a time, read in one query.
type DueWork struct {
	// Sessions and Automations whose time has come, earliest first.
	Sessions    []SessionRef
	Automations []AutomationRef
	// Tasks are those whose deadline, or whose service's time, has come.
	Tasks []TaskRef
	// Next is the earliest time after that; zero: none is known.
	Next time.Time
	// Waiting are the workspaces in which somebody wants the slot or an occurrence is due,
	// Watching the automations that have not looked at all events, Failing those with so
	// many failed runs that they may have to be disabled. Only of a sweep.
	Waiting  []string
	Watching []AutomationRef
	Failing  []AutomationRef
	// Due have an occurrence that waits. Only of a sweep.
	Due []AutomationRef
}
