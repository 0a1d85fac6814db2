package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	// maxTries limits how often a call is sent whose repetition is harmless.
	maxTries = 3
	// firstBackoff comes before the second try, and twice as much before the third. The server may request
	// more, up to maxBackoff; a longer wait ends the call.
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 20 * time.Second
)

// CallOf is the call of an execution.
func (e *Env) CallOf(x *domain.Execution) outside.Call {
	return outside.Call{
		WorkspaceID: e.WorkspaceID, SessionID: e.SessionID, ExecutionID: x.ID, Command: x.Command, Params: x.Params, Attempt: x.Attempt,
		Answers: e.Answers[x.ID].Answers,
	}
}

// patience is how long the command may take in all.
func (c *command) patience() time.Duration {
	if c.external() {
		return maxTries*c.spec.Timeout + (maxTries-1)*maxBackoff
	}
	return c.spec.Timeout
}

// Sent is what a call that was sent came to, beside the outcome of its execution.
type Sent struct {
	// Ask is what the server needs of a person before the call can continue: it has no outcome then.
	Ask *domain.OutsideAsk
	// Task is the handle of the work that the server has taken on; nil: it has answered.
	Task *outside.TaskHandle
}

// Send carries out an external action that was stored as started, with call, and sets its outcome. It never fails
// itself: every error is an outcome.
func (c *Catalogue) Send(ctx context.Context, call Caller, env Env, e *domain.Execution) Sent {
	entry := c.entry(&env, e.Command)
	if entry == nil || !entry.external() {
		failAction(&env, e, domain.Errorf(domain.Code(codeUnknown), "%s is not offered any more. Nothing was sent.", jsonbody.Quote(e.Command)))
		return Sent{}
	}
	result, err := send(ctx, call, &env, &entry.spec, e)
	sent := Sent{Ask: env.ask(&entry.spec, e, result, err)}
	if err == nil {
		sent.Task = result.Task
	}
	settleSent(&env, e, result, err)
	return sent
}

// send calls the external server, and again if that is harmless: the effect allows it, and the failure may
// be temporary. Each try has the same execution id.
func send(ctx context.Context, call Caller, env *Env, spec *domain.CommandSpec, e *domain.Execution) (outside.Result, error) {
	if env.Answers[e.ID].Refused {
		return outside.Result{}, &outside.Error{Fault: outside.FaultSignIn, Message: fmt.Sprintf(
			"Somebody had to sign in to %s first, and a person refused. Do without it.", cmp.Or(spec.ConnectorName, spec.Name))}
	}
	for try := 1; ; try++ {
		result, err := sendOnce(ctx, call, env, spec, e)
		if err == nil || try == maxTries || spec.Effect == domain.EffectNonIdempotent || ctx.Err() != nil {
			return result, err
		}
		wait, worth := backoff(try, err)
		if !worth || !pause(ctx, wait) {
			return result, err
		}
		e.Attempt++
	}
}

// sendOnce limits one call in time, and its result in size. A panic in it must not crash the process: the
// outcome is unknown then.
func sendOnce(
	ctx context.Context, call Caller, env *Env, spec *domain.CommandSpec, e *domain.Execution,
) (result outside.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = outside.Result{}, fmt.Errorf("the call panicked: %v", r)
		}
	}()
	if call == nil {
		return result, &outside.Error{Fault: outside.FaultNotSent, Message: "No server outside can be called here."}
	}
	within, cancel := context.WithTimeout(ctx, spec.Timeout)
	defer cancel()
	result, err = call(within, env.CallOf(e))
	if err != nil && within.Err() != nil && outside.FaultOf(err) == outside.FaultUnknown {
		err = &outside.Error{Message: fmt.Sprintf("No answer came within %s.", spec.Timeout), Temporary: true, Cause: err}
	}
	return bounded(result), err
}

// bounded keeps no more of a result than the AI may read, as text that any database takes.
func bounded(r outside.Result) outside.Result {
	if len(r.Text) > seriesBytes {
		r.Text = fmt.Sprintf("%s\n[cut: %d bytes came]", r.Text[:seriesBytes], len(r.Text))
	}
	r.Text = strings.ReplaceAll(strings.ToValidUTF8(r.Text, "\uFFFD"), "\x00", "\uFFFD")
	if len(r.JSON) > seriesBytes {
		r.JSON = nil
	}
	if _, err := jsonbody.Value(r.JSON); err != nil {
		r.JSON = nil
	}
	return r
}

// backoff returns the wait before a call is sent again, and whether it is worthwhile.
func backoff(try int, err error) (time.Duration, bool) {
	wait := firstBackoff << (try - 1)
	wait += rand.N(wait / 2)
	known, ok := errors.AsType[*outside.Error](err)
	if !ok {
		return wait, true // broken off: how far it came is not known
	}
	return max(wait, known.RetryAfter), known.Temporary && known.RetryAfter <= maxBackoff
}

func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
