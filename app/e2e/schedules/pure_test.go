package schedules

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/orchestrator/machine"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// pureMachine is the machine itself, for schedulers that are tested without a run loop.
type pureMachine struct{}

func (pureMachine) Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	return machine.Run(s, e, p)
}

func (pureMachine) Accepts(s *domain.Session, e domain.Event) error { return machine.Accepts(s, e) }

// conditions decide about the JSON Schemas of triggers.
type conditions struct{ catalogue *commands.Catalogue }

func (c conditions) Holds(schema, value json.RawMessage) (bool, error) {
	return len(schema) == 0 || c.catalogue.CheckSchema(schema, value, "") == nil, nil
}

// unchecked takes whatever triggers and grants name.
type unchecked struct{}

func (unchecked) CheckTriggers(context.Context, string, []automation.Trigger) error { return nil }

func (unchecked) CheckGrant(context.Context, string, time.Time, *domain.Grant) error { return nil }
func (unchecked) CheckCommands(context.Context, string, []string) error              { return nil }

// uncounted counts nothing.
type uncounted struct{}

func (uncounted) Asked(slot.Reason, bool)    {}
func (uncounted) Waited(time.Duration, bool) {}
