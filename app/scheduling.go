package app

import (
	"github.com/fermata-dev/fermata/auth/passkeys"
	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/commands/checks"
	"github.com/fermata-dev/fermata/orchestrator"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/scheduler"
	"github.com/fermata-dev/fermata/scheduler/automations"
	"github.com/fermata-dev/fermata/scheduler/tasks"
)

// Scheduling is the scheduler and the services that send requests to it.
type Scheduling struct {
	Door        *scheduler.Door
	Sessions    *scheduler.Sessions
	Again       *scheduler.Again
	Messages    *scheduler.Messages
	Answers     *scheduler.Answers
	Queue       *scheduler.Queue
	Automations *automations.Service
	Runs        *automations.Runs
	Tasks       *tasks.Service
	Loop        *scheduler.Loop
}

func (a *App) wireScheduling() {
	a.passkeys = &passkeys.Service{Store: a.store.Passkeys, Address: browserURL(a), Clock: a.clock, NewID: a.newID}
	door := scheduler.NewDoor(scheduler.Config{
		Store: a.store, Machine: pureMachine{}, Runner: a.runner(), Models: a.loop, Streams: a.broker, Observer: a.metrics,
		Retry: orchestrator.RetryDelay, Caution: a.flags.TestHooks.Caution,
		Causes: scheduler.Causes{
			Preempted: orchestrator.ErrPreempted, Interrupted: orchestrator.ErrInterrupted, Stopped: orchestrator.ErrStopped,
		},
		Clock: a.clock, NewID: a.newID, Log: a.log,
	})
	reads := sessionStore{a.store.Sessions, a.store.Automations}
	sessions := &scheduler.Sessions{Door: door, Store: reads, Providers: a.store.Providers, Gather: a.gather()}
	config := automations.Config{
		Door:       door,
		Sessions:   sessions,
		Store:      reads,
		Events:     a.store.Events,
		Conditions: checks.Conditions{Catalogue: a.catalogue},
		Checks:     checks.Automations{Config: a.checks()},
		Providers:  a.store.Providers,
		SealHook:   a.hooks().Seal,
		Clock:      a.clock,
		NewID:      a.newID,
		Log:        a.log,
	}
	runs := automations.NewRuns(config)
	queue := &scheduler.Queue{Door: door, Waiters: a.store.Slot, Due: runs}
	outside := tasks.New(tasks.Config{
		Door: door, Store: taskStore{a.store.Tasks, a.store.Records}, Remote: taskServices{a.connectors, a.connectors.Manager},
		Shown:    commands.ShownQuestion,
		Describe: commands.ExternalText,
		Clock:    a.clock, NewID: a.newID, Log: a.log,
	})
	a.scheduling = Scheduling{
		Door: door, Sessions: sessions, Queue: queue,
		Again:    &scheduler.Again{Door: door, Store: againStore{a.store.Sessions, a.store.Records}, Providers: a.store.Providers},
		Messages: &scheduler.Messages{Door: door, Store: a.store.Sessions},
		Answers: &scheduler.Answers{
			Door: door, Store: answerStore{a.store, a.store.Sessions, a.store.Approvals, a.store.Records},
			Checks:   checks.Answers{Config: a.checks()},
			Passkeys: a.passkeys,
		},
		Automations: automations.NewService(config), Runs: runs,
		Tasks: outside, Loop: scheduler.NewLoop(door, queue, a.store.Slot, runs, outside),
	}
}

// hooks encrypts the secrets of automations' webhooks.
func (a *App) hooks() automations.HookSecrets { return automations.HookSecrets{Keys: a.keys} }

// againStore reads the end of a session's record and the results of its commands.
type againStore struct {
	*repository.SessionStore
	*repository.RecordStore
}
