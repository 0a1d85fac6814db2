package schedules

import (
	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/repository"
	stored "github.com/fermata-dev/fermata/repository/automations"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// answerStore and sessionStore are what the scheduler reads before a decision, as the
// server wires it.
type (
	answerStore struct {
		*repository.Store
		*repository.SessionStore
		*repository.ApprovalStore
		*repository.RecordStore
	}
	againStore struct {
		*repository.SessionStore
		*repository.RecordStore
	}
	sessionStore struct {
		*repository.SessionStore
		*stored.AutomationStore
	}
)

// scheduling is the scheduler on a store, without a server around it.
type scheduling struct {
	door        *scheduler.Door
	sessions    *scheduler.Sessions
	again       *scheduler.Again
	messages    *scheduler.Messages
	answers     *scheduler.Answers
	queue       *scheduler.Queue
	automations *automations.Service
	runs        *automations.Runs
	loop        *scheduler.Loop
}

func newScheduling(store *repository.Store, config scheduler.Config) scheduling {
	config.Store = store
	door := scheduler.NewDoor(config)
	reads := sessionStore{store.Sessions, store.Automations}
	sessions := &scheduler.Sessions{Door: door, Store: reads, Providers: store.Providers}
	automationConfig := automations.Config{
		Door: door, Sessions: sessions, Store: reads, Events: store.Events, Conditions: conditions{commands.New(data.NewRules(), automations.Drafts{})},
		Checks: unchecked{}, Providers: store.Providers,
		SealHook: func(_, _, token string) (string, error) { return token, nil }, // as it was made: tests read it
		Clock:    config.Clock, NewID: config.NewID, Log: config.Log,
	}
	runs := automations.NewRuns(automationConfig)
	queue := &scheduler.Queue{Door: door, Waiters: store.Slot, Due: runs}
	return scheduling{
		door: door, sessions: sessions, queue: queue, automations: automations.NewService(automationConfig), runs: runs,
		again:    &scheduler.Again{Door: door, Store: againStore{store.Sessions, store.Records}, Providers: store.Providers},
		messages: &scheduler.Messages{Door: door, Store: store.Sessions},
		answers:  &scheduler.Answers{Door: door, Store: answerStore{store, store.Sessions, store.Approvals, store.Records}, Checks: agreeable{}},
		loop:     scheduler.NewLoop(door, queue, store.Slot, runs, nil),
	}
}
