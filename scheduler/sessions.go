package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Retry gives the delays of a network retry under a workspace's settings.
type Retry func(domain.NetworkRetry) func(attempt int) time.Duration

// CreateSession makes a session; with a message, sends it at once, in the same
// transaction. A known external id gives the session that is there.
func (d *Door) CreateSession(ctx context.Context, workspace string, in domain.NewSession) (*domain.Receipt, error) {
	if in.ExternalID != "" {
		have, err := d.cfg.Store.SessionByExternalID(ctx, workspace, in.ExternalID)
		if err == nil && have != nil {
			return &domain.Receipt{Session: have, Seq: have.LastSeq}, nil
		}
		if err != nil && domain.ErrorCode(err) != domain.CodeNotFound {
			return nil, err
		}
	}
	if in.Type != domain.Chat {
		return nil, domain.Invalid("/type", "unsupported", "Only CHAT sessions can be made; %s sessions are made by automations.", in.Type)
	}
	if err := d.checkProvider(ctx, workspace, in.ProviderID); err != nil {
		return nil, err
	}
	now := d.cfg.Clock()
	s := &domain.Session{
		ID: d.cfg.NewID(domain.PrefixSession), WorkspaceID: workspace, Type: in.Type, Name: in.Name,
		Phase: domain.Idle, ProviderID: in.ProviderID, RequireValidation: in.RequireValidation,
		ExternalID: in.ExternalID, CreatedAt: now, UpdatedAt: now, LastEventTime: now,
	}
	r := request{workspace: workspace, fresh: s, event: func(*domain.View) (domain.Event, error) {
		if in.Message == nil {
			return nil, nil
		}
		return d.userMessage(s, *in.Message), nil
	}}
	r.then = func(_ *domain.View, change *domain.Change) error {
		created := &domain.LogEvent{
			WorkspaceID: workspace, SessionID: s.ID, Type: domain.LogSessionCreated, At: change.At, Session: change.Session(s.ID),
		}
		tellBirth(change, s.ID, []*domain.LogEvent{created})
		return nil
	}
	o, err := d.pass(ctx, r)
	if in.ExternalID != "" && domain.ErrorCode(err) == domain.CodeConflict {
		if have, err := d.cfg.Store.SessionByExternalID(ctx, workspace, in.ExternalID); err == nil && have != nil {
			return &domain.Receipt{Session: have, Seq: have.LastSeq}, nil // somebody was faster
		}
	}
	if err != nil {
		return nil, err
	}
	receipt := o.receipt()
	receipt.Created = true
	receipt.Message = newest(o.change)
	return receipt, nil
}

// checkProvider refuses a provider that is not there, before anything is stored.
func (d *Door) checkProvider(ctx context.Context, workspace, id string) error {
	if id == "" {
		return nil
	}
	_, err := d.cfg.Providers.Provider(ctx, workspace, id)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.Invalid("/provider_id", "unknown_provider", "There is no such provider in this workspace.")
	}
	return err
}

// newest is the user message that a change brought.
func newest(change *domain.Change) *domain.Message {
	for _, m := range change.Messages {
		if m.Sender == domain.SenderUser {
			return m
		}
	}
	return nil
}

// UpdateSession changes what people may change of a session.
func (d *Door) UpdateSession(ctx context.Context, workspace, session string, patch domain.SessionPatch) (*domain.Receipt, error) {
	if patch.ProviderID != nil {
		if err := d.checkProvider(ctx, workspace, *patch.ProviderID); err != nil {
			return nil, err
		}
	}
	r := request{workspace: workspace, session: session, event: nothing}
	r.then = func(_ *domain.View, change *domain.Change) error {
		s := change.Session(session)
		set(&s.Name, patch.Name)
		set(&s.Pinned, patch.Pinned)
		set(&s.RequireValidation, patch.RequireValidation)
		set(&s.ProviderID, patch.ProviderID)
		set(&s.Budgets, patch.Budgets)
		s.UpdatedAt = change.At
		change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
		return nil
	}
	return d.receiptOf(ctx, r)
}

func nothing(*domain.View) (domain.Event, error) { return nil, nil }

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// receiptOf passes the door and gives the plain receipt.
func (d *Door) receiptOf(ctx context.Context, r request) (*domain.Receipt, error) {
	o, err := d.pass(ctx, r)
	if err != nil {
		return nil, err
	}
	return o.receipt(), nil
}

// DeleteSession deletes a session that is not at work; its open approvals are settled
// first, in the same transaction.
func (d *Door) DeleteSession(ctx context.Context, workspace, session string) error {
	if err := d.seedIsFree(ctx, workspace, session); err != nil {
		return err
	}
	_, err := d.pass(ctx, request{
		workspace: workspace, session: session,
		event: func(v *domain.View) (domain.Event, error) {
			switch {
			case v.Session.Phase.Working():
				return nil, domain.Errorf(domain.CodeSessionBusy, "The session is at work. Stop it first; nothing was deleted.")
			case v.Session.Phase == domain.Completed || v.Session.Type == domain.Seed:
				return nil, nil
			}
			return domain.StopRequested{}, nil
		},
		then: func(_ *domain.View, change *domain.Change) error {
			for i := range change.Sessions {
				if change.Sessions[i].Session.ID == session {
					change.Sessions[i].Delete = true
				}
			}
			if len(change.Events) == 0 {
				change.Emit(domain.LogEvent{SessionID: session, Type: domain.LogSessionEnded, Session: change.Session(session)})
			}
			return nil
		},
	})
	return err
}

// seedIsFree refuses to delete the SEED of an automation that is there: it is a part of
// the automation, and goes with it. An automation that was deleted never comes back, so
// this may be read before the transaction.
func (d *Door) seedIsFree(ctx context.Context, workspace, session string) error {
	s, err := d.cfg.Store.Session(ctx, workspace, session)
	if err != nil || s.Type != domain.Seed {
		return err
	}
	order, err := d.cfg.Orders.Automation(ctx, workspace, s.AutomationID)
	if domain.ErrorCode(err) == domain.CodeNotFound || err == nil && order.SeedSessionID != session {
		return nil
	}
	if err != nil {
		return err
	}
	return &domain.Error{Code: domain.CodeSeedOfAutomation, Session: s,
		Message: fmt.Sprintf("This is the first message of the automation %q, and is deleted with it. Nothing was deleted.", order.Name)}
}

// ReleaseSlot has a CHAT at rest give the slot up, as if it had been inactive for long.
// Of a session without the slot nothing changes.
func (d *Door) ReleaseSlot(ctx context.Context, workspace, session string, _ domain.Author) (*domain.Receipt, error) {
	receipt, err := d.receiptOf(ctx, request{workspace: workspace, session: session, event: func(v *domain.View) (domain.Event, error) {
		switch s := v.Session; {
		case !s.HoldsSlot:
			return nil, errNothing
		case s.Type != domain.Chat || s.Phase != domain.Idle:
			return nil, domain.Errorf(domain.CodeSessionBusy, "The session is at work, or waits for an answer, and keeps the slot. Stop it, or answer; nothing was changed.")
		}
		return domain.SessionEvicted{}, nil
	}})
	if !errors.Is(err, errNothing) {
		return receipt, err
	}
	s, err := d.cfg.Store.Session(ctx, workspace, session)
	if err != nil {
		return nil, err
	}
	return &domain.Receipt{Session: s, Seq: s.LastSeq}, nil
}

// ActivateSession asks for the slot.
func (d *Door) ActivateSession(ctx context.Context, workspace, session string) (*domain.Receipt, error) {
	held := false
	o, err := d.pass(ctx, request{workspace: workspace, session: session, event: func(v *domain.View) (domain.Event, error) {
		held = v.Session.HoldsSlot
		if held && v.Session.Phase != domain.Completed {
			return nil, errNothing
		}
		return domain.SessionActivationRequested{}, nil
	}})
	if errors.Is(err, errNothing) {
		s, err := d.cfg.Store.Session(ctx, workspace, session)
		if err != nil {
			return nil, err
		}
		return &domain.Receipt{Session: s, Seq: s.LastSeq, Result: domain.AlreadyActive}, nil
	}
	if err != nil {
		return nil, err
	}
	receipt := o.receipt()
	receipt.Result = domain.Activated
	if o.queued {
		receipt.Result, receipt.Position = domain.Queued, o.step.Session.QueuePosition
	}
	return receipt, nil
}

// errNothing ends a passage that has nothing to write.
var errNothing = errors.New("nothing to do")

// RetrySession runs the round again.
func (d *Door) RetrySession(ctx context.Context, workspace, session string, by domain.Author) (*domain.Receipt, error) {
	return d.Deliver(ctx, workspace, session, domain.RoundRequested{By: by})
}

// ResumeSession brings a stopped, suspended or poisoned session back.
func (d *Door) ResumeSession(ctx context.Context, workspace, session string, _ domain.Author) (*domain.Receipt, error) {
	return d.Deliver(ctx, workspace, session, domain.SessionResumed{})
}

// InterruptSession cuts the round; what was already received is kept.
func (d *Door) InterruptSession(ctx context.Context, workspace, session string, by domain.Author) (*domain.Receipt, error) {
	if d.cfg.Gather != nil {
		s, err := d.cfg.Store.Session(ctx, workspace, session)
		if err != nil {
			return nil, err
		}
		defer d.cfg.Gather(ctx, s)()
	}
	return d.receiptOf(ctx, request{workspace: workspace, session: session, event: func(*domain.View) (domain.Event, error) {
		message, text := d.cfg.Streams.Partial(session)
		return domain.InterruptRequested{By: by.ID, MessageID: message, PartialText: text}, nil
	}})
}

// StopSession ends the session at once and says what became of its calls.
func (d *Door) StopSession(ctx context.Context, workspace, session string, by domain.Author) (*domain.Receipt, error) {
	var calls []domain.StoppedCall
	o, err := d.pass(ctx, request{workspace: workspace, session: session, event: func(v *domain.View) (domain.Event, error) {
		calls = calls[:0]
		for _, e := range v.Planned {
			calls = append(calls, domain.StoppedCall{ExecutionID: e.ID, Command: e.Command, Outcome: stopped(e.Status)})
		}
		return domain.StopRequested{By: by.ID}, nil
	}})
	if err != nil {
		return nil, err
	}
	d.cfg.Runner.Cut(session, o.step.Session.RunEpoch, d.cfg.Causes.Stopped)
	receipt := o.receipt()
	receipt.Calls = calls
	return receipt, nil
}

func stopped(status domain.ExecutionStatus) string {
	switch {
	case status == domain.ExecStarted || status == domain.ExecUnknown:
		return "unknown"
	case status.Final():
		return "finished_before"
	}
	return "not_started"
}
