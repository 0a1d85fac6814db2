package orchestrator

import (
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
		Purpose: a.purpose, PromptSize: domain.PromptSize{PromptTokens: s.State.ContextTokens}, StartedAt: d.loop.cfg.Clock(),
	}
}

// endCall completes the record of a call that was answered.
func (a *asking) endCall(call *domain.Roundtrip, model *providers.Model, answer *providers.Answer) {
	d := a.driver
	providers.RecordAnswer(call, answer, d.loop.cfg.Clock(), &d.view.Workspace.Settings, model.Name)
	call.Answered = &domain.AnswerFigures{
		ContentChars: utf8.RuneCountInString(answer.Raw.Text), ToolCalls: len(answer.Raw.Calls),
		Native: answer.Raw.Protocol == domain.ProtocolNative,
	}
	providers.Observe(d.loop.cfg.Observer, call)
}
