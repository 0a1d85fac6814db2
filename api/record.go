package api

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
)

// TimelineLineFrom is a line of a timeline as clients see it.
func TimelineLineFrom(l reports.RecordLine) *TimelineLine {
	out := &TimelineLine{Kind: TimelineLineKind(l.Kind), At: Time(l.At)}
	switch l.Kind {
	case reports.RecordTransition:
		out.Transition, out.RoundID = TransitionFrom(l.Transition), textPtr(l.Transition.RoundID)
	case reports.RecordRoundtrip:
		out.Roundtrip, out.RoundID = RoundtripRecordFrom(l.Roundtrip), textPtr(l.Roundtrip.RoundID)
		out.DurationMs = &out.Roundtrip.DurationMs
	case reports.RecordExecution:
		e := l.Execution
		out.Execution, out.RoundID = ExecutionFrom(e), textPtr(e.RoundID)
		if e.StartedAt != nil && e.EndedAt != nil {
			took := milliseconds(*e.StartedAt, *e.EndedAt)
			out.DurationMs = &took
		}
	}
	if len(l.Cut) > 0 {
		cut := make([]TimelineLineCut, 0, len(l.Cut))
		for _, name := range l.Cut {
			cut = append(cut, TimelineLineCut(name))
		}
		out.Cut = &cut
	}
	return out
}

// RoundtripRecordFrom is a call of the AI with all that is kept of it.
func RoundtripRecordFrom(r *domain.Roundtrip) *RoundtripRecord {
	out := &RoundtripRecord{
		ID: r.ID, RoundID: r.RoundID, MessageID: textPtr(r.MessageID), Number: r.Number, Reason: string(r.Reason),
		Purpose: r.Purpose, ProviderID: textPtr(r.ProviderID), ProviderKind: r.ProviderKind, Model: r.Model,
		Outcome: r.Outcome, Error: textPtr(r.Error), Usage: UsageFrom(r.Usage),
		StartedAt: Time(r.StartedAt), FirstTokenAt: timePtr(r.FirstTokenAt), EndedAt: Time(r.EndedAt),
		PromptHash: textPtr(r.PromptHash), PromptTokens: r.PromptTokens, Streamed: r.Streamed,
		DurationMs: milliseconds(r.StartedAt, r.EndedAt), PromptReusedTokens: r.Reused,
	}
	if p := r.PromptSize; p.Rules > 0 {
		out.PromptParts = &PromptParts{Rules: p.Rules, Commands: p.Commands, Data: p.Data, Conversation: p.History}
	}
	if r.FirstTokenAt != nil {
		took := milliseconds(r.StartedAt, *r.FirstTokenAt)
		out.TimeToFirstTokenMs = &took
	}
	return out
}

func milliseconds(from, to time.Time) int64 { return max(0, to.Sub(from).Milliseconds()) }

// UsageSumFrom is what a group of calls used, as clients see it.
func UsageSumFrom(r reports.UsageRow) *UsageSum {
	return &UsageSum{
		Key: r.Key, Label: textPtr(r.Label), Calls: r.Calls, Errors: r.Errors, UnpricedCalls: r.Unpriced,
		InputTokens: r.Usage.InputTokens, CacheReadTokens: r.Usage.CacheReadTokens, CacheWriteTokens: r.Usage.CacheWriteTokens,
		OutputTokens: r.Usage.OutputTokens, ReasoningTokens: r.Usage.ReasoningTokens, Cost: costFrom(r.Usage.Cost),
		PromptTokens: r.PromptTokens, PromptReusedTokens: r.PromptReused,
	}
}
