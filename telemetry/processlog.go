package telemetry

import (
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/traces"
)

// Log writes the process log of a change that this process committed: one line at level
// info for each AI call, each finished command and each finished round. A line holds ids, names,
// numbers and codes, and never text written by people or models: only commands that exist are
// named (see commandNames), and the model name that a vendor returns is cut at maxLoggedName.
func (m *Metrics) Log(log *zerolog.Logger, change *domain.Change) {
	if log.GetLevel() > zerolog.InfoLevel {
		return
	}
	for _, call := range change.Roundtrips {
		for _, before := range call.Before {
			logCall(log, before, traceOf(change, before.SessionID, before.RoundID))
		}
		logCall(log, call, traceOf(change, call.SessionID, call.RoundID))
	}
	for _, e := range change.Executions {
		if e.Status.Final() {
			logExecution(log, e, m.names.logged(e), traceOf(change, e.SessionID, e.RoundID))
		}
	}
	for _, t := range change.Transitions {
		if s := change.Session(t.SessionID); s != nil && t.EndsRound() {
			logRound(log, s, t, traceOf(change, t.SessionID, t.RoundID))
		}
	}
}

// traceOf is the trace of a round, as requests out carry it.
func traceOf(change *domain.Change, session, round string) string {
	return traces.OfRound(change.Session(session).TraceOf(round), round)
}

// maxLoggedName bounds a name from outside the server in a log line, in characters.
const maxLoggedName = 100

func logCall(log *zerolog.Logger, call *domain.Roundtrip, trace string) {
	line := log.Info().Str("workspace", call.WorkspaceID).Str("session", call.SessionID).Str("round", call.RoundID).
		Str("trace_id", trace).
		Str("call", call.ID).Str("provider", call.ProviderKind).Str("model", shorten.Characters(call.Model, maxLoggedName)).Str("purpose", call.Purpose).
		Str("reason", string(call.Reason)).Str("outcome", call.Outcome).Int64("input_tokens", call.Usage.Total()-call.Usage.OutputTokens).
		Int64("output_tokens", call.Usage.OutputTokens).Dur("took_ms", call.EndedAt.Sub(call.StartedAt))
	if call.Offered != nil {
		line = line.Int("tools", call.Offered.Tools).Strs("tool_names", call.Offered.Names)
	}
	if call.Answered != nil {
		line = line.Int("content_chars", call.Answered.ContentChars)
		if call.Answered.Native {
			line = line.Int("tool_calls", call.Answered.ToolCalls)
		}
	}
	if call.FirstTokenAt != nil {
		line = line.Dur("first_token_ms", call.FirstTokenAt.Sub(call.StartedAt))
	}
	if call.Usage.Cost != nil {
		line = line.Float64("cost_usd", *call.Usage.Cost)
	}
	line.Msg("AI call")
}

func logExecution(log *zerolog.Logger, e *domain.Execution, command, trace string) {
	line := log.Info().Str("workspace", e.WorkspaceID).Str("session", e.SessionID).Str("round", e.RoundID).
		Str("trace_id", trace).Str("execution", e.ID).Str("command", command).Str("kind", string(e.Kind)).Str("status", string(e.Status))
	if e.StartedAt != nil && e.EndedAt != nil {
		line = line.Dur("took_ms", e.EndedAt.Sub(*e.StartedAt))
	}
	if e.Error != nil {
		line = line.Str("code", e.Error.Code)
	}
	line.Msg("command")
}

func logRound(log *zerolog.Logger, s *domain.Session, t *domain.Transition, trace string) {
	line := log.Info().Str("workspace", s.WorkspaceID).Str("session", s.ID).Str("type", string(s.Type)).Str("round", t.RoundID).
		Str("trace_id", trace).
		Str("from", string(t.From)).Str("event", t.Event).Int("calls", s.State.RoundRoundtrips).Int64("tokens", s.State.RoundTokens)
	if s.State.RoundCost > 0 {
		line = line.Float64("cost_usd", s.State.RoundCost)
	}
	if s.EndReason != "" {
		line = line.Str("end_reason", string(s.EndReason))
	}
	if began, ok := ids.Time(t.RoundID); ok {
		line = line.Dur("took_ms", max(0, t.At.Sub(began)))
	}
	line.Msg("round")
}
