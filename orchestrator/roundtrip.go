package orchestrator

import (
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// newCall begins the record of a call.
func (a *asking) newCall(model *providers.Model) *domain.Roundtrip {
	d, s := a.driver, a.driver.session
	reason := s.State.NextReason
	if reason == "" {
		reason = domain.RoundtripReason(s.State.RoundCause)
	}
	return &domain.Roundtrip{
		ID: d.loop.cfg.NewID(domain.PrefixRoundtrip), WorkspaceID: s.WorkspaceID, SessionID: s.ID,
		RoundID: s.State.RoundID, Payer: s.State.RoundPayer, MessageID: d.loop.cfg.NewID(domain.PrefixMessage),
		Number: s.State.TotalRoundtrips + 1, Reason: reason,
		ProviderID: model.ID, ProviderKind: model.Kind, Model: model.Name,
		Purpose: a.purpose, PromptTokens: s.State.ContextTokens, StartedAt: d.loop.cfg.Clock(),
	}
}

// endCall completes the record of a call that was answered.
func (a *asking) endCall(call *domain.Roundtrip, model *providers.Model, answer *providers.Answer) {
	d := a.driver
	call.Outcome, call.EndedAt, call.Usage = domain.OutcomeAnswered, d.loop.cfg.Clock(), answer.Usage
	if answer.Raw.Model != "" {
		call.Model = answer.Raw.Model
	}
	call.Answered = &domain.AnswerFigures{
		ContentChars: utf8.RuneCountInString(answer.Raw.Text), ToolCalls: len(answer.Raw.Calls),
		Native: answer.Raw.Protocol == domain.ProtocolNative,
	}
	if call.Usage.Cost == nil { // a provider that has the prices is more precise
		call.Usage.Cost = d.view.Workspace.Settings.CostOf(answer.Usage, call.Model, model.Name)
	}
	var first time.Duration
	if !answer.FirstTokenAt.IsZero() {
		at := answer.FirstTokenAt.UTC().Truncate(time.Microsecond)
		call.FirstTokenAt, first = &at, at.Sub(call.StartedAt)
	}
	d.loop.cfg.Observer.AICall(call.ProviderKind, call.Outcome, call.EndedAt.Sub(call.StartedAt), first, call.Usage, call.Model)
}
