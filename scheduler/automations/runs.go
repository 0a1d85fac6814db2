package automations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// Runs starts the runs of automations: on request, by events, and by schedule.
type Runs struct{ Config }

// NewRuns makes the part that starts runs.
func NewRuns(cfg Config) *Runs { return &Runs{cfg} }

// ExecuteAutomation starts a run by hand, as the automation is. It queues when the slot is
// taken, and always behind an earlier run of the same automation.
func (r *Runs) ExecuteAutomation(ctx context.Context, workspace, automationID, by string) (*domain.Receipt, error) {
	return r.RunAutomation(ctx, workspace, automationID, automation.RunRequest{By: by})
}

// RunAutomation is ExecuteAutomation with what differs in this run alone.
func (r *Runs) RunAutomation(ctx context.Context, workspace, automationID string, ask automation.RunRequest) (*domain.Receipt, error) {
	if err := scheduler.CheckProvider(ctx, r.Providers, workspace, ask.ProviderID); err != nil {
		return nil, err
	}
	return r.receipt(ctx, workspace, automationID, func(p rules, _ *automation.View) (start, error) {
		return start{trigger: domain.ByHand, cause: domain.CauseManualTrigger, at: p.now, by: ask.By, instead: ask}, nil
	})
}

// maxHookBody bounds what a webhook may add to the first message, in bytes.
const maxHookBody = 64 << 10

// TriggerAutomation starts a run for a call of the automation's webhook, whose body (a JSON text, or
// nothing) is added to the first message. A wrong token and an unknown automation get the same error.
func (r *Runs) TriggerAutomation(ctx context.Context, automationID, token string, body json.RawMessage) (*domain.Receipt, error) {
	a, err := r.automationOfHook(ctx, automationID, token)
	if err != nil {
		return nil, err
	}
	if len(body) > maxHookBody {
		return nil, domain.Errorf(domain.CodeTooLarge,
			"A webhook's body may have %d KiB at most. Nothing was started; send a reference to the data instead.", maxHookBody>>10)
	}
	return r.receipt(ctx, a.WorkspaceID, a.ID, func(p rules, v *automation.View) (start, error) {
		if err := r.hookStarts(v.Automation, token, body); err != nil {
			return start{}, err
		}
		s := start{trigger: domain.ByEvent, cause: domain.CauseManualTrigger, at: p.now, by: "webhook"}
		if len(body) > 0 {
			s.note = "The event that started this run:\n" + string(body)
			s.from = domain.From(domain.OriginWebhook, v.Automation.Name)
		}
		return s, nil
	})
}

// hookStarts refuses a call of a webhook that starts nothing.
func (r *Runs) hookStarts(a *automation.Automation, token string, body json.RawMessage) error {
	trigger := a.Trigger(automation.TriggerWebhook)
	switch {
	case trigger == nil || !isHook(a, token):
		return domain.NotFound("webhook")
	case !a.Enabled:
		return domain.Errorf(domain.CodeAutomationDisabled, "The automation is disabled. Nothing was started.")
	}
	if len(body) == 0 {
		body = json.RawMessage("null")
	}
	holds, err := r.Conditions.Holds(trigger.Condition, body)
	if err != nil {
		return fmt.Errorf("check the webhook's condition: %w", err)
	}
	if !holds {
		return domain.Errorf(domain.CodeConditionNotMet, "The event does not meet the condition of the trigger. Nothing was started.")
	}
	return nil
}

// WorkspaceOfHook is where a call of the automation's webhook belongs.
func (r *Runs) WorkspaceOfHook(ctx context.Context, automationID, token string) (string, error) {
	a, err := r.automationOfHook(ctx, automationID, token)
	if err != nil {
		return "", err
	}
	return a.WorkspaceID, nil
}

// automationOfHook finds the automation of a webhook's URL. Without the token, its existence is not
// disclosed.
func (r *Runs) automationOfHook(ctx context.Context, automationID, token string) (*automation.Automation, error) {
	a, err := r.Store.AutomationOfHook(ctx, automationID)
	if err != nil {
		return nil, err
	}
	if !isHook(a, token) {
		return nil, domain.NotFound("webhook")
	}
	return a, nil
}

// receipt starts a run and returns its state, or that it was skipped.
func (r *Runs) receipt(
	ctx context.Context, workspace, automationID string, of func(rules, *automation.View) (start, error),
) (*domain.Receipt, error) {
	o, err := r.deliverRestarting(ctx, workspace, automationID, func(p rules, v *automation.View) (scheduler.Plan, error) {
		s, err := of(p, v)
		if err != nil {
			return scheduler.Plan{}, err
		}
		return p.beginByEvent(v, s)
	})
	if err != nil {
		return nil, err
	}
	if o.Session == nil {
		return &domain.Receipt{Result: domain.Skipped, Seq: o.Seq()}, nil
	}
	receipt := o.ActivationReceipt()
	receipt.Created = true
	return receipt, nil
}

// deliverRestarting is deliver with patience for a plan that ends the old runs first:
// they are stopped, and it is decided again.
func (r *Runs) deliverRestarting(ctx context.Context, workspace, automationID string, plan planner) (*scheduler.Outcome, error) {
	for range maxStops {
		o, err := r.deliver(ctx, workspace, automationID, plan)
		running, ok := errors.AsType[*stopFirstError](err)
		if !ok {
			return o, err
		}
		for _, old := range running.runs {
			_, err := r.Sessions.StopSession(forgetful{ctx}, workspace, old, domain.Author{ID: "overlap"})
			if err != nil && !scheduler.Refused(err) {
				return nil, fmt.Errorf("stop the run %s that the new one replaces: %w", old, err)
			}
		}
	}
	return nil, domain.Errorf(domain.CodeSessionBusy,
		"Runs of this automation begin faster than they can be stopped. Nothing was started; try again.")
}

// maxStops bounds how often runs are stopped that have begun again meanwhile.
const maxStops = 5

// forgetful is the context of a step that is not covered by the request's idempotency key: the key is
// spent by the run that begins, not by the one that ends.
type forgetful struct{ context.Context }

func (forgetful) Value(any) any { return nil }
