package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Codes of the outcomes of external calls.
const (
	codeNotSent        = "not_sent"
	codeRefused        = "refused_outside"
	codeNoAnswer       = "no_answer"
	codeUnknownOutcome = "outcome_unknown"
)

// askOutside is a query that another server answers. Its content is in the result unchanged, below a line
// of ours.
func askOutside(ctx context.Context, t *call, spec *domain.CommandSpec) (answer, error) {
	result, err := send(ctx, t.send, &t.env, spec, t.execution)
	asks := answer{ask: t.env.ask(spec, t.execution, result, err)}
	switch {
	case err != nil:
		return asks, domain.Errorf(codeOf(err), "%s: %s", spec.Name, cmp.Or(messageOf(err), "the call broke off."))
	case result.Failed:
		said := shorten.Characters(result.Text, failureBytes)
		return asks, domain.Errorf(codeRefused, "%s answered that it did not succeed: %s", spec.Name, said)
	case result.Task != nil || result.Question != nil:
		return asks, domain.Errorf(codeRefused, "%s cannot be answered at once, as a query must be.", spec.Name)
	}
	return answer{head: spec.Name + " answered:", body: json.RawMessage(cmp.Or(result.Text, string(result.JSON)))}, nil
}

// failureBytes limits an external server's text about a failure.
const failureBytes = 2000

// settleSent sets the outcome of an action that was sent.
func settleSent(env *Env, e *domain.Execution, r outside.Result, err error) {
	worded(e)
	switch fault := outside.FaultOf(err); {
	case err == nil && r.Failed:
		failAction(env, e, domain.Errorf(codeRefused, "%s answered that it did not succeed.", e.Command))
		e.Text, e.Result = r.Text, resultOf(r)
	case err == nil && r.Question != nil && r.Open && e.Effect == domain.EffectNonIdempotent:
		SetUnknown(env, e, "The server asked a person something in the middle of the call, and that could not be passed on.")
	case err == nil && r.Question != nil: // the question comes before any effect
		failAction(env, e, domain.Errorf(codeRefused,
			"%s asks a person something first, and that cannot be passed on from here. It was not done.", e.Command))
	case err == nil && r.Task != nil && env.SessionType == domain.Agent && e.Effect == domain.EffectNonIdempotent:
		SetUnknown(env, e, "The server made a task of it, which an agent cannot wait for.")
	case err == nil && r.Task != nil && env.SessionType == domain.Agent:
		failAction(env, e, domain.Errorf(codeNoAnswer,
			"The server made a task of it, which an agent cannot wait for. Whether it will be done is not known; to ask for it again does no harm."))
	case err == nil && r.Task != nil:
		e.Status, e.Text, e.EndedAt = domain.ExecPending, domain.PendingText, new(env.time())
		e.Summary = domain.Say("Started outside: %s", "Commencé à l’extérieur : %s", summaryOf(e))
	case err == nil:
		e.Status, e.EndedAt = domain.ExecSuccess, new(env.time())
		e.Result, e.Text = resultOf(r), cmp.Or(r.Text, string(r.JSON), "Done.")
	case fault == outside.FaultUnknown && e.Effect == domain.EffectNonIdempotent:
		SetUnknown(env, e, messageOf(err))
	case fault == outside.FaultUnknown:
		failAction(env, e, domain.Errorf(codeNoAnswer,
			"%s Whether it was done is not known; to ask for it again does no harm.", sentence(err)))
	default:
		failAction(env, e, domain.Errorf(codeOf(err), "%s Nothing was done.", sentence(err)))
	}
}

// SetUnknown records that the outcome of an action is unknown. It can never be sent again afterwards.
func SetUnknown(env *Env, e *domain.Execution, why string) {
	worded(e)
	e.Status, e.EndedAt, e.Text = domain.ExecUnknown, new(env.time()), ""
	e.Error = &domain.CommandError{Code: codeUnknownOutcome, Message: cmp.Or(why, "No clear answer came back.")}
	e.Summary = domain.Say("Not known whether it was done: %s", "On ne sait pas si cela a été fait : %s", summaryOf(e))
}

// Probed records an external server's report about an action that was sent before and whose outcome is
// unknown for the reason why: done is whether it was done. An error means that the server does not know.
func Probed(env *Env, e *domain.Execution, why string, done bool, r outside.Result, err error) {
	switch {
	case err != nil:
		SetUnknown(env, e, why)
	case done:
		settleSent(env, e, bounded(r), nil)
	default:
		failAction(env, e, domain.Errorf(codeNotSent,
			"It was sent, and no clear answer came back. Asked about it afterwards, the server outside says that it was not done."))
	}
}

// worded restores the texts of an action that another process began: they are not stored.
func worded(e *domain.Execution) {
	if e.Summary == (domain.Text{}) {
		e.Summary = ExternalText(e.Command, e.Params)
	}
}

func codeOf(err error) domain.Code {
	switch outside.FaultOf(err) {
	case outside.FaultNotSent, outside.FaultSignIn:
		return codeNotSent
	case outside.FaultRefused:
		return codeRefused
	}
	return codeNoAnswer
}

// messageOf is the part of an error that may be shown: errors that do not come from a connector may
// contain anything.
func messageOf(err error) string {
	if known, ok := errors.AsType[*outside.Error](err); ok {
		return known.Message
	}
	return ""
}

func sentence(err error) string { return cmp.Or(messageOf(err), "The call broke off.") }

// resultOf is a result as JSON, for clients.
func resultOf(r outside.Result) json.RawMessage {
	if len(r.JSON) > 0 {
		return r.JSON
	}
	return jsonbody.Encode(map[string]string{"text": r.Text})
}
