package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config is what a Door is made of; every field is needed but for Models, Streams and Caution.
type Config struct {
	Store   Store
	Machine Machine
	Runner  Runner
	// Models are optional: without them a call reserves nothing.
	Models Models
	// Streams are optional: without them an interrupted answer leaves no text.
	Streams  Streams
	Observer Observer
	// Retry returns the delays of a workspace's network retry.
	Retry Retry
	// Caution about steps that may crash the process; zero: the defaults.
	Caution domain.Caution
	// Causes are what the runner's contexts carry when a session is cut.
	Causes Causes
	Clock  clock.Clock
	NewID  domain.IDSource
	Log    zerolog.Logger
}

// Causes of a cut, as the run loop names them.
type Causes struct{ Preempted, Interrupted, Stopped error }

// Retry returns the delays of a network retry under a workspace's settings.
type Retry func(domain.NetworkRetry) func(attempt int) time.Duration

// Door is the one door: everything that comes from outside, for any session or
// automation, passes Deliver.
type Door struct {
	cfg       Config
	wakeups   *wakeups
	probation probation
	calls     callsSent
}

// NewDoor makes a door.
func NewDoor(cfg Config) *Door {
	return &Door{cfg: cfg, wakeups: newWakeups(), probation: probation{caution: cfg.Caution, until: map[string]time.Time{}}}
}

// Deliver delivers a request to its session or automation: it decides, stores the decision, and lets the
// run loop continue. It is the only entry. A model that was not called before is looked up first, outside
// the transaction, because its next call is reserved in the budgets.
func (d *Door) Deliver(ctx context.Context, r Request) (*Outcome, error) {
	return d.deliver(ctx, deliveryOf(r))
}

func (d *Door) deliver(ctx context.Context, r delivery) (*Outcome, error) {
	decided, err := d.commit(ctx, r)
	if unknown, ok := errors.AsType[*unknownModelError](err); ok {
		d.cfg.Models.Learn(ctx, r.to.Workspace, unknown.provider)
		r.modelKnown = true
		decided, err = d.commit(ctx, r)
	}
	if of, ok := errors.AsType[*agentError](err); ok {
		return d.deliverToAgent(ctx, r, of.session)
	}
	if err != nil {
		return nil, err
	}
	d.act(decided)
	return decided.outcome(), nil
}

// commit decides and stores in one transaction.
func (d *Door) commit(ctx context.Context, r delivery) (decision, error) {
	var decided decision
	var change *domain.Change
	var err error
	if plan, ok := r.request.(PlanRequest); ok {
		change, err = d.cfg.Store.DecideAutomation(ctx, plan.Workspace, plan.Automation,
			func(_ context.Context, v *automation.View) (*domain.Change, error) {
				var err error
				decided, err = d.rules().decidePlan(v, plan, r.modelKnown)
				return decided.change, err
			})
		err = wrapped("decide about the automation", err)
	} else {
		change, err = d.cfg.Store.Decide(ctx, r.to.Workspace, r.to.Session, r.to.New,
			func(_ context.Context, v *domain.View) (*domain.Change, error) {
				var err error
				decided, err = d.rules().decide(v, r)
				return decided.change, err
			})
		err = wrapped("deliver", err)
	}
	if err != nil {
		return decision{}, err
	}
	if decided.change = change; change == nil {
		decided.change = &domain.Change{WorkspaceID: r.to.Workspace}
	}
	return decided, nil
}

func wrapped(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// rules are those that hold now.
func (d *Door) rules() rules {
	p := rules{
		moment:  moment{now: d.cfg.Clock(), newID: d.cfg.NewID, drives: d.cfg.Runner.Drives, caution: d.cfg.Caution},
		machine: d.cfg.Machine, retry: d.cfg.Retry, suspectRuns: d.probation.others, callOut: d.calls.out,
	}
	if d.cfg.Streams != nil {
		p.partial = d.cfg.Streams.Partial
	}
	if d.cfg.Models != nil {
		p.estimate = d.cfg.Models.Estimate
	}
	return p
}
