package orchestrator

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// callAI asks the model. Nothing is held meanwhile: no worker, no connection of the
// database.
func (d *driver) callAI(ctx context.Context) (domain.Event, error) {
	s := d.session
	model, err := d.loop.cfg.Models.For(ctx, s.WorkspaceID, s.ProviderID)
	if err != nil {
		return d.noModel(err)
	}
	ask, err := d.prompt(ctx, model)
	if err != nil {
		return nil, err
	}
	call := d.newCall(model, "answer")
	call.PromptHash = prompt.Fingerprint(ask)
	request := &providers.Request{
		Prompt: ask, MaxTokens: model.MaxTokens, SessionID: s.ID, RoundID: s.State.RoundID, NewID: d.loop.cfg.NewID,
	}
	if d.loop.cfg.Streams.Watched(s.ID) {
		call.Streamed = true
		d.streamed = call.MessageID
		request.OnDelta = func(delta providers.Delta) {
			d.loop.cfg.Streams.Delta(s.WorkspaceID, s.ID, call.MessageID, string(delta.Kind), delta.Text)
		}
	}
	answer, err := model.Provider.Query(ctx, request)
	if ctx.Err() != nil {
		return nil, errLetGo
	}
	if err != nil {
		return d.callFailed(call, err), nil
	}
	d.endCall(call, model, answer)
	d.raw, d.answerID = answer.Raw, call.MessageID
	return domain.AIResponseReceived{
		MessageID: call.MessageID, Raw: answer.Raw, Hash: prompt.Hash(answer.Raw), Roundtrip: call,
	}, nil
}

// noModel: the session's provider is gone or cannot be made. The database being away
// is something else.
func (d *driver) noModel(err error) (domain.Event, error) {
	var e *domain.Error
	if !errors.As(err, &e) || transient(err) {
		return nil, err
	}
	return domain.SystemErrorOccurred{Code: "provider_unusable", Problem: e.Message}, nil
}

// newCall begins the record of a call.
func (d *driver) newCall(model *Model, purpose string) *domain.Roundtrip {
	s := d.session
	reason := s.State.NextReason
	if reason == "" {
		reason = domain.RoundtripReason(s.State.RoundCause)
	}
	return &domain.Roundtrip{
		ID: d.loop.cfg.NewID(domain.PrefixRoundtrip), WorkspaceID: s.WorkspaceID, SessionID: s.ID,
		RoundID: s.State.RoundID, MessageID: d.loop.cfg.NewID(domain.PrefixMessage),
		Number: s.State.TotalRoundtrips + 1, Reason: reason,
		ProviderID: model.ID, ProviderKind: model.Kind, Model: model.Name,
		Purpose: purpose, PromptTokens: s.State.ContextTokens, StartedAt: d.loop.cfg.Clock(),
	}
}

// endCall completes the record of a call that was answered.
func (d *driver) endCall(call *domain.Roundtrip, model *Model, answer *providers.Answer) {
	call.Outcome, call.EndedAt, call.Usage = domain.OutcomeAnswered, d.loop.cfg.Clock(), answer.Usage
	if answer.Raw.Model != "" {
		call.Model = answer.Raw.Model
	}
	if call.Usage.Cost == nil { // a provider that was told its prices knows better
		call.Usage.Cost = d.view.Workspace.Settings.CostOf(answer.Usage, call.Model, model.Name)
	}
	var first time.Duration
	if !answer.FirstTokenAt.IsZero() {
		at := answer.FirstTokenAt.UTC().Truncate(time.Microsecond)
		call.FirstTokenAt, first = &at, at.Sub(call.StartedAt)
	}
	d.loop.cfg.Observer.AICall(call.ProviderKind, call.Outcome, call.EndedAt.Sub(call.StartedAt), first, call.Usage, call.Model)
}

// callFailed classifies a failed call into the event that says what happens next.
func (d *driver) callFailed(call *domain.Roundtrip, err error) domain.Event {
	class, problem, retryAfter := providers.ClassNetwork, err.Error(), time.Duration(0)
	if failure, ok := errors.AsType[*providers.Error](err); ok {
		class, problem, retryAfter = failure.Class, failure.Message, failure.RetryAfter
	}
	call.Outcome, call.Error, call.EndedAt = string(class), problem, d.loop.cfg.Clock()
	d.loop.cfg.Observer.AICall(call.ProviderKind, call.Outcome, call.EndedAt.Sub(call.StartedAt), 0, call.Usage, call.Model)
	if d.streamed != "" {
		d.loop.cfg.Streams.Discard(call.WorkspaceID, call.SessionID, d.streamed, string(class))
		d.streamed = ""
	}
	switch {
	case class.Retryable():
		return domain.NetworkErrorOccurred{Problem: problem, RetryAfter: retryAfter, Roundtrip: call}
	case class == providers.ClassContextTooLong && !d.session.State.Compacted && call.Purpose == "answer":
		return domain.ContextBudgetExceeded{Roundtrip: call}
	case class == providers.ClassContextTooLong:
		return domain.SystemErrorOccurred{Code: "context_too_large", Problem: problem, Roundtrip: call}
	default:
		return domain.SystemErrorOccurred{Code: "provider_" + string(class), Problem: problem, Roundtrip: call}
	}
}

// prompt assembles what the model is asked: the levels from their caches, the turns
// from the conversation in memory. Only what is new costs anything.
func (d *driver) prompt(ctx context.Context, model *Model) (*domain.Prompt, error) {
	s, settings := d.session, &d.view.Workspace.Settings
	turns, err := d.loop.threads.turns(ctx, s, model.Protocol, d.loop.cfg.Store)
	if err != nil {
		return nil, err
	}
	specs := d.loop.cfg.Commands.SpecsFor(s.Type)
	levelsView := *d.view
	levelsView.Session = s
	levels, err := d.loop.levels.of(ctx, &levelsView, model.Protocol, specs, d.loop.cfg.Data(s.WorkspaceID), d.loop.cfg.Clock())
	if err != nil {
		return nil, err
	}
	ask := &domain.Prompt{
		System: levels.system, UserData: levels.userData, Turns: turns,
		Tail: prompt.Tail(d.loop.cfg.Clock(), settings), Protocol: model.Protocol,
	}
	if s.State.NextReason == domain.ReasonLimitNotification {
		ask.Tail += "\n" + prompt.Notice("GUIDANCE", "The limits of this session are near: come to an end.")
	}
	if model.Protocol == domain.ProtocolNative {
		ask.Commands = offered(s, settings, specs)
	} else if model.Provider.Abilities().StructuredOutput {
		ask.AnswerSchema = answerSchema
	}
	return ask, nil
}

var answerSchema = prompt.JSONSchemaOfAnswer()

// offered are the commands of the next call. With relaunch=on_error_only, after
// results that were all good only the control commands are offered again.
func offered(s *domain.Session, settings *domain.Settings, specs []domain.CommandSpec) []domain.CommandSpec {
	afterResults := s.State.NextReason == domain.ReasonDataResponse || s.State.NextReason == domain.ReasonActionResult
	if settings.Relaunch != "on_error_only" || !afterResults || s.State.ConsecutiveActionRetries > 0 {
		return specs
	}
	var control []domain.CommandSpec
	for _, spec := range specs {
		if spec.Kind == domain.KindControl {
			control = append(control, spec)
		}
	}
	return control
}
