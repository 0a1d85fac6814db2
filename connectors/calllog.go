package connectors

import (
	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/internal/traces"
)

// Log writes one line to the process log: ids, names and numbers, and never what was sent or returned.
func (r CallReport) Log(log *zerolog.Logger) {
	line := log.Info().Str("workspace", r.WorkspaceID).Str("session", r.SessionID).Str("execution", r.ExecutionID).
		Str("connector", r.ConnectorID).Str("command", r.Command).Str("kind", string(r.Kind)).Str("effect", string(r.Effect)).
		Str("outcome", r.Outcome).Dur("took_ms", r.Took)
	if r.TraceParent != "" {
		line = line.Str("trace_id", traces.Read(r.TraceParent))
	}
	line.Msg("connector call")
}
