package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// run is what a new run of an automation is to be.
type run struct {
	trigger string
	cause   domain.Cause
	// at is the reference of relative periods: the scheduled time, or when it was asked
	// for.
	at   time.Time
	note string // added to the first message: what the event brought
	by   string
	// onTime: it is scheduled, and is made only if it gets the slot at once. since is when
	// it began to wait for it.
	onTime bool
	since  time.Time
}

// orderDecision decides about an automation; nil writes nothing. known: the model of a
// run that begins was looked up already.
type orderDecision func(v *domain.AutomationView, known bool) (*outcome, error)

// passOrder decides about an automation in one transaction and then sets going what
// follows.
func (d *Door) passOrder(ctx context.Context, workspace, automation string, decide orderDecision) (*outcome, error) {
	o, err := d.passOrderOnce(ctx, workspace, automation, decide, false)
	if unknown, ok := errors.AsType[*unknownModelError](err); ok {
		d.cfg.Models.Learn(ctx, workspace, unknown.provider)
		return d.passOrderOnce(ctx, workspace, automation, decide, true)
	}
	return o, err
}

func (d *Door) passOrderOnce(ctx context.Context, workspace, automation string, decide orderDecision, known bool) (*outcome, error) {
	var o *outcome
	_, err := d.cfg.Orders.DecideAutomation(ctx, workspace, automation, func(_ context.Context, v *domain.AutomationView) (*domain.Change, error) {
		var err error
		if o, err = decide(v, known); err != nil || o == nil {
			return nil, err
		}
		return o.change, nil
	})
	if err != nil {
		return nil, fmt.Errorf("decide about the automation: %w", err)
	}
	if o != nil && o.step != nil {
		d.after(o)
	}
	return o, nil
}

// begin makes a run: a copy of the SEED's messages in a session of its own, which asks
// for the slot. With onTime it is not made unless the slot is granted (errSlotTaken).
func (d *Door) begin(v *domain.AutomationView, r run, known bool) (*outcome, error) {
	if err := d.mayBegin(v, r); err != nil {
		return nil, err
	}
	now := d.cfg.Clock()
	s := &domain.Session{
		ID: d.cfg.NewID(domain.PrefixSession), WorkspaceID: v.Workspace.ID, Type: domain.Run, Name: v.Automation.Name,
		Phase: domain.ExecutingEnrichments, AutomationID: v.Automation.ID, Trigger: r.trigger, ScheduledExecutionTime: &r.at,
		ProviderID: v.Automation.ProviderID, RequireValidation: v.Automation.RequireValidation, Budgets: v.Automation.Budgets,
		CreatedAt: now, UpdatedAt: now, LastEventTime: now,
	}
	s.State = domain.SessionState{
		RoundID: d.cfg.NewID(domain.PrefixRound), RoundCause: r.cause, NextReason: domain.RoundtripReason(r.cause),
		Validation: v.Automation.Validation, AskCompletion: v.Automation.Completion == domain.CompletionAsk,
	}
	messages := d.copySeed(v, s, r)
	s.State.RoundMessageID = messages[len(messages)-1].ID
	view := v.View
	view.Session = s
	o, err := d.decide(&view, request{
		workspace: v.Workspace.ID, fresh: s, event: always(domain.SessionActivationRequested{}), byItself: r.onTime, since: r.since, learnt: known,
	})
	if err != nil {
		return nil, err
	}
	born := &domain.Change{WorkspaceID: v.Workspace.ID, At: now, Messages: messages}
	born.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: o.change.Session(s.ID)})
	for _, m := range messages {
		born.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
	}
	o.change.Messages = append(born.Messages, o.change.Messages...)
	tellBirth(o.change, s.ID, born.Events)
	return o, nil
}

// tellBirth puts the events of a session's making before its first other one, and behind
// those of the session whose slot it takes: in the log too nobody gets the slot before
// its holder has given it up.
func tellBirth(change *domain.Change, session string, born []*domain.LogEvent) {
	first := max(0, slices.IndexFunc(change.Events, func(e *domain.LogEvent) bool { return e.SessionID == session }))
	change.Events = slices.Insert(change.Events, first, born...)
}

// mayBegin refuses a run that could not go.
func (d *Door) mayBegin(v *domain.AutomationView, r run) error {
	if len(v.Seed) == 0 {
		return domain.Errorf(domain.CodeConflict, "The automation has no message to begin with. Give it one (seed); nothing was started.")
	}
	if limit := v.Workspace.Settings.MaxQueueLength; !r.onTime && limit > 0 && len(v.Queue) >= limit {
		return domain.Errorf(domain.CodeQueueFull, "The queue of this workspace is full (%d). Nothing was started; try again later.", limit)
	}
	return nil
}

// copySeed copies the SEED's messages into the run, so that no later change of the
// automation changes it.
func (d *Door) copySeed(v *domain.AutomationView, s *domain.Session, r run) []*domain.Message {
	messages := make([]*domain.Message, len(v.Seed))
	for i, seed := range v.Seed {
		m := *seed
		rich := domain.RichContent{}
		if seed.Rich != nil {
			rich = *seed.Rich
		}
		if r.note != "" && i == len(v.Seed)-1 {
			rich.Segments = append(append([]domain.Segment(nil), rich.Segments...), domain.Segment{Type: "text", Text: "\n\n" + r.note})
			rich.LinearText += "\n\n" + r.note
		}
		m.ID, m.SessionID, m.RoundID, m.Seq = d.cfg.NewID(domain.PrefixMessage), s.ID, s.State.RoundID, 0
		m.Timestamp, m.Status, m.SenderID, m.Rich = d.cfg.Clock(), domain.MessageStored, r.by, &rich
		messages[i] = &m
	}
	return messages
}

// ExecuteAutomation starts a run by hand. It queues when the slot is taken, and always
// behind an earlier run of the same automation.
func (d *Door) ExecuteAutomation(ctx context.Context, workspace, automation, by string) (*domain.Receipt, error) {
	return d.receiptOfRun(ctx, workspace, automation, func(*domain.AutomationView) (run, error) {
		return run{trigger: domain.ByHand, cause: domain.CauseManualTrigger, at: d.cfg.Clock(), by: by}, nil
	})
}

// maxHookBody bounds what a webhook may add to the first message, in bytes.
const maxHookBody = 64 << 10

// TriggerAutomation starts a run for a call of the automation's webhook, whose body (a
// JSON text, or nothing) is added to the first message. A wrong token and an unknown
// automation look the same.
func (d *Door) TriggerAutomation(ctx context.Context, automation, token string, body json.RawMessage) (*domain.Receipt, error) {
	order, err := d.orderOfHook(ctx, automation, token)
	if err != nil {
		return nil, err
	}
	if len(body) > maxHookBody {
		return nil, domain.Errorf(domain.CodeTooLarge, "A webhook's body may have %d KiB at most. Nothing was started; send a reference to the data instead.", maxHookBody>>10)
	}
	return d.receiptOfRun(ctx, order.WorkspaceID, order.ID, func(v *domain.AutomationView) (run, error) {
		trigger := v.Automation.Trigger(domain.TriggerWebhook)
		switch {
		case trigger == nil || !isHook(v.Automation, token):
			return run{}, domain.NotFound("webhook")
		case !v.Automation.Enabled:
			return run{}, domain.Errorf(domain.CodeAutomationDisabled, "The automation is disabled. Nothing was started.")
		}
		holds, err := d.cfg.Conditions.Holds(trigger.Condition, orNull(body))
		if err != nil {
			return run{}, fmt.Errorf("check the webhook's condition: %w", err)
		}
		if !holds {
			return run{}, errConditionFails
		}
		note := ""
		if len(body) > 0 {
			note = "The event that started this run:\n" + string(body)
		}
		return run{trigger: domain.ByEvent, cause: domain.CauseManualTrigger, at: d.cfg.Clock(), note: note, by: "webhook"}, nil
	})
}

// WorkspaceOfHook is where a call of the automation's webhook belongs.
func (d *Door) WorkspaceOfHook(ctx context.Context, automation, token string) (string, error) {
	order, err := d.orderOfHook(ctx, automation, token)
	if err != nil {
		return "", err
	}
	return order.WorkspaceID, nil
}

// orderOfHook finds the automation of a webhook's URL. Whoever does not know the token
// is not told that there is one.
func (d *Door) orderOfHook(ctx context.Context, automation, token string) (*domain.Automation, error) {
	order, err := d.cfg.Orders.AutomationOfHook(ctx, automation)
	if err != nil {
		return nil, err
	}
	if !isHook(order, token) {
		return nil, domain.NotFound("webhook")
	}
	return order, nil
}

// errConditionFails tells that an event does not meet the trigger's condition.
var errConditionFails = domain.Errorf(domain.CodeConditionNotMet, "The event does not meet the condition of the trigger. Nothing was started.")

func orNull(body json.RawMessage) json.RawMessage {
	if len(body) == 0 {
		return json.RawMessage("null")
	}
	return body
}

// receiptOfRun starts a run and says where it stands, or that it was skipped.
func (d *Door) receiptOfRun(ctx context.Context, workspace, automation string, of func(*domain.AutomationView) (run, error)) (*domain.Receipt, error) {
	o, err := d.passRestarting(ctx, workspace, automation, func(v *domain.AutomationView, known bool) (*outcome, error) {
		r, err := of(v)
		if err != nil {
			return nil, err
		}
		return d.beginByEvent(v, r, known)
	})
	if err != nil {
		return nil, err
	}
	if o.step == nil {
		return &domain.Receipt{Result: domain.Skipped, Seq: o.change.Events[len(o.change.Events)-1].Seq}, nil
	}
	receipt := o.receipt()
	receipt.Created, receipt.Result = true, domain.Activated
	if o.queued {
		receipt.Result, receipt.Position = domain.Queued, o.step.Session.QueuePosition
	}
	return receipt, nil
}

// runEnded looks at an automation whose run has ended: after too many failures in a row
// it is disabled, and what was due goes on.
func (d *Door) runEnded(ctx context.Context, s *domain.Session) {
	if s.Type != domain.Run || s.Phase != domain.Completed {
		return
	}
	d.disableIfFailing(ctx, domain.AutomationRef{WorkspaceID: s.WorkspaceID, ID: s.AutomationID})
}

func (d *Door) disableIfFailing(ctx context.Context, ref domain.AutomationRef) {
	_, err := d.passOrder(ctx, ref.WorkspaceID, ref.ID, func(v *domain.AutomationView, _ bool) (*outcome, error) {
		return d.disableFailing(v), nil
	})
	if err != nil && domain.ErrorCode(err) != domain.CodeNotFound && ctx.Err() == nil {
		d.cfg.Log.Warn().Err(err).Str("automation", ref.ID).Msg("could not look at the automation after its run; it is looked at again at the next sweep")
	}
}

// disableFailing disables an automation whose latest runs all failed; nil: it goes on.
func (d *Door) disableFailing(v *domain.AutomationView) *outcome {
	if !v.Automation.Enabled || len(v.Ends) < domain.FailuresToDisable {
		return nil
	}
	for _, end := range v.Ends {
		if end != domain.EndError && end != domain.EndTimeout && end != domain.EndLimitReached {
			return nil
		}
	}
	order := *v.Automation
	change := d.changeOf(v)
	d.disable(v, &order, change, "failures")
	change.Emit(domain.LogEvent{Type: domain.LogNotice, Notice: &domain.Notice{
		Level: "error", Code: "automation_disabled",
		Text: v.Workspace.Settings.Say("The automation %q was disabled: its last %d runs failed. Look at them, mend the cause, and enable it again.",
			"L’automatisation %q a été désactivée : ses %d dernières exécutions ont échoué. Regardez-les, corrigez la cause, puis réactivez-la.",
			domain.VisibleLine(order.Name), domain.FailuresToDisable),
	}})
	return &outcome{change: change}
}

// disable stops an automation's schedule and triggers; what is due is recorded as
// skipped.
func (d *Door) disable(v *domain.AutomationView, order *domain.Automation, change *domain.Change, reason string) {
	order.Enabled, order.DisabledReason, order.NextAt, order.UpdatedAt = false, reason, nil, change.At
	for _, due := range v.Due {
		d.record(change, due, domain.OccurrenceSkipped, domain.SkippedDisabled)
	}
	writeOrder(change, order, false)
}

// changeOf begins an empty change of the automation's workspace.
func (d *Door) changeOf(v *domain.AutomationView) *domain.Change {
	return &domain.Change{WorkspaceID: v.Workspace.ID, At: d.cfg.Clock()}
}

// writeOrder adds an automation to a change, and tells of it.
func writeOrder(change *domain.Change, order *domain.Automation, insert bool) {
	change.Automations = append(change.Automations, domain.AutomationWrite{Automation: order, Insert: insert})
	change.Emit(domain.LogEvent{Type: domain.LogAutomationChanged, Automation: order})
}
