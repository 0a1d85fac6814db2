package telemetry

import (
	"cmp"
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/traces"
)

// maxText bounds the text in an attribute, in characters.
const maxText = 4000

// Committed exports the spans of a change. It does not block.
func (t *Traces) Committed(change *domain.Change) {
	if t == nil {
		return
	}
	for _, call := range change.Roundtrips {
		for _, before := range call.Before {
			t.call(change, before)
		}
		t.call(change, call)
	}
	for _, e := range change.Executions {
		if e.Status.Final() && e.StartedAt != nil && e.EndedAt != nil {
			t.execution(change, e)
		}
	}
	for _, a := range change.Approvals {
		if a.SettledAt != nil {
			t.approval(change, a)
		}
	}
	for _, x := range change.Transitions {
		if s := change.Session(x.SessionID); s != nil && x.EndsRound() {
			t.round(s, x)
		}
	}
}

// span has the fields common to all spans.
type span struct {
	identity
	name       string
	kind       trace.SpanKind
	from, to   time.Time
	parent     *identity
	link       *identity
	failed     string // the error type; "" if it succeeded
	attributes []attribute.KeyValue
}

func (t *Traces) write(s span) {
	ctx := as(context.Background(), s.identity)
	if s.parent != nil {
		ctx = trace.ContextWithSpanContext(ctx, s.parent.context())
	}
	options := []trace.SpanStartOption{trace.WithTimestamp(s.from), trace.WithSpanKind(s.kind), trace.WithAttributes(s.attributes...)}
	if s.link != nil {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: s.link.context()}))
	}
	_, made := t.tracer.Start(ctx, s.name, options...)
	if s.failed != "" {
		made.SetAttributes(attribute.String("error.type", s.failed))
		made.SetStatus(codes.Error, s.failed)
	}
	made.End(trace.WithTimestamp(s.to))
}

// roundOf is the span of a round.
func roundOf(change *domain.Change, session, round string) identity {
	return identityOf(traces.OfRound(change.Session(session).TraceOf(round), round), round)
}

func (t *Traces) round(s *domain.Session, x *domain.Transition) {
	began, known := ids.Time(x.RoundID)
	if !known {
		return // an id without a time
	}
	operation := span{
		identity: identityOf(traces.OfRound(s.TraceOf(x.RoundID), x.RoundID), x.RoundID), name: "invoke_agent",
		kind: trace.SpanKindInternal, from: began, to: x.At, attributes: []attribute.KeyValue{
			attribute.String("gen_ai.operation.name", "invoke_agent"),
			attribute.String("gen_ai.conversation.id", s.ID), attribute.String("fermata.workspace.id", s.WorkspaceID),
			attribute.String("fermata.session.type", string(s.Type)), attribute.String("fermata.round.id", x.RoundID),
			attribute.Int("fermata.round.calls", s.State.RoundRoundtrips), attribute.String("fermata.round.end", x.Event),
		},
	}
	if s.EndReason != "" && s.EndReason != domain.EndCompleted {
		operation.failed = string(s.EndReason)
	}
	t.write(operation)
}

func (t *Traces) call(change *domain.Change, c *domain.Roundtrip) {
	round := roundOf(change, c.SessionID, c.RoundID)
	model := shorten.Characters(c.Model, maxName)
	s := span{
		identity: identity{round.trace, identityOf("", c.ID).span}, parent: &round, name: "chat " + model,
		kind: trace.SpanKindClient, from: c.StartedAt, to: c.EndedAt, attributes: []attribute.KeyValue{
			attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", providerName(c.ProviderKind)),
			attribute.String("gen_ai.request.model", model), attribute.String("gen_ai.conversation.id", c.SessionID),
			attribute.Int64("gen_ai.usage.input_tokens", c.Usage.Total()-c.Usage.OutputTokens),
			attribute.Int64("gen_ai.usage.output_tokens", c.Usage.OutputTokens),
			attribute.Bool("gen_ai.request.stream", c.Streamed), attribute.String("fermata.workspace.id", c.WorkspaceID),
			attribute.String("fermata.call.purpose", c.Purpose), attribute.String("fermata.call.reason", string(c.Reason)),
		},
	}
	if c.FirstTokenAt != nil {
		first := c.FirstTokenAt.Sub(c.StartedAt).Seconds()
		s.attributes = append(s.attributes, attribute.Float64("gen_ai.response.time_to_first_chunk", first))
	}
	if c.Usage.Cost != nil {
		s.attributes = append(s.attributes, attribute.Float64("fermata.cost.usd", *c.Usage.Cost))
	}
	if c.Outcome != domain.OutcomeAnswered {
		s.failed = c.Outcome
	}
	if t.content {
		s.attributes = append(s.attributes, answered(change, c.MessageID)...)
	}
	t.write(s)
}

// maxName bounds a name from outside the server, in characters.
const maxName = 100

// answered is the model's answer, if the change contains it.
func answered(change *domain.Change, id string) []attribute.KeyValue {
	for _, m := range change.Messages {
		if m.ID == id && m.AI != nil {
			return []attribute.KeyValue{attribute.String("gen_ai.output.messages", shorten.Characters(m.AI.PreText, maxText))}
		}
	}
	return nil
}

func (t *Traces) execution(change *domain.Change, e *domain.Execution) {
	round, command := roundOf(change, e.SessionID, e.RoundID), shorten.Characters(e.Command, maxName)
	s := span{
		identity: identity{round.trace, identityOf("", e.ID).span}, parent: &round, name: "execute_tool " + command,
		kind: trace.SpanKindInternal, from: *e.StartedAt, to: *e.EndedAt, attributes: []attribute.KeyValue{
			attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", command),
			attribute.String("gen_ai.tool.call.id", cmp.Or(e.CallID, e.ID)), attribute.String("gen_ai.conversation.id", e.SessionID),
			attribute.String("fermata.workspace.id", e.WorkspaceID), attribute.String("fermata.execution.id", e.ID),
			attribute.String("fermata.execution.status", string(e.Status)),
		},
	}
	switch {
	case e.Error != nil:
		s.failed = e.Error.Code
	case e.Status == domain.ExecFailed || e.Status == domain.ExecUnknown:
		s.failed = string(e.Status)
	}
	if t.content {
		s.attributes = append(s.attributes, attribute.String("gen_ai.tool.call.arguments", shorten.Characters(string(e.Params), maxText)),
			attribute.String("gen_ai.tool.call.result", shorten.Characters(string(e.Result), maxText)))
	}
	t.write(s)
}

// approval exports a trace of its own: people may take days to answer, which would leave a gap in the
// round's trace.
func (t *Traces) approval(change *domain.Change, a *domain.Approval) {
	round := roundOf(change, a.SessionID, a.RoundID)
	t.write(span{
		identity: identityOf(traces.Of(a.ID), a.ID), link: &round, name: "approval " + string(a.Kind), kind: trace.SpanKindInternal,
		from: a.CreatedAt, to: *a.SettledAt, attributes: []attribute.KeyValue{
			attribute.String("gen_ai.conversation.id", a.SessionID), attribute.String("fermata.workspace.id", a.WorkspaceID),
			attribute.String("fermata.approval.id", a.ID), attribute.String("fermata.approval.kind", string(a.Kind)),
			attribute.String("fermata.approval.status", string(a.Status)),
		},
	})
}

// providerName maps a kind of provider to its name in the semantic conventions.
func providerName(kind string) string {
	switch kind {
	case "gemini":
		return "gcp.gemini"
	case "openai_compatible":
		return "openai"
	}
	return kind
}
