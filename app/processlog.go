package app

import (
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/traces"
)

// logCommitted writes the process log of a change that this process committed: one line
// at info for each call of the AI, each command that ended and each round that came to
// its end. It holds ids, names, figures and codes, and never what people or models wrote:
// a command is named as a label is, because a model can ask for any name, and of a
// model's own name, which its vendor answers with, a line holds a hundred characters.
func logCommitted(log *zerolog.Logger, change *domain.Change, command func(string) string) {
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
			logExecution(log, e, command(e.Command), traceOf(change, e.SessionID, e.RoundID))
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

// maxLoggedName is how much of a name that somebody else chose stands in a line, in
// characters.
const maxLoggedName = 100

func logCall(log *zerolog.Logger, call *domain.Roundtrip, trace string) {
	line := log.Info().Str("workspace", call.WorkspaceID).Str("session", call.SessionID).Str("round", call.RoundID).
		Str("trace_id", trace).
		Str("call", call.ID).Str("provider", call.ProviderKind).Str("model", jsonbody.Cut(call.Model, maxLoggedName)).Str("purpose", call.Purpose).
		Str("reason", string(call.Reason)).Str("outcome", call.Outcome).Int64("input_tokens", call.Usage.Total()-call.Usage.OutputTokens).
		Int64("output_tokens", call.Usage.OutputTokens).Dur("took_ms", call.EndedAt.Sub(call.StartedAt))
	if call.FirstTokenAt != nil {
		line = line.Dur("first_token_ms", call.FirstTokenAt.Sub(call.StartedAt))
	}
	if call.Usage.Cost != nil {
		line = line.Float64("cost_usd", *call.Usage.Cost)
	}
	line.Msg("call of the AI")
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
