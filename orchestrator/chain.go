package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/traces"
	"github.com/fermata-dev/fermata/providers"
)

// shortWait is how long a run waits for a provider that requests a delay, before fallbacks are called. A
// person is not kept waiting at all.
const shortWait = 2 * time.Second

// asking is one question to the AI: to the session's provider, and if that is down, to
// the workspace's further ones in their order.
type asking struct {
	driver  *driver
	purpose string
	// request makes the question in the form that this model takes.
	request func(ctx context.Context, model *providers.Model, call *domain.Roundtrip) (*providers.Request, error)
	// made are the calls that failed so far.
	made []*domain.Roundtrip
}

// reply is the result of a call: an answer with its call, or a failure.
type reply struct {
	model  *providers.Model
	call   *domain.Roundtrip
	answer *providers.Answer
	failed *failure
}

// failure is why there is no answer.
type failure struct {
	class      providers.Class
	problem    string
	retryAfter time.Duration
	partial    bool
	part       *domain.PartialAnswer // what a person keeps of the answer
	// called is false when the provider was known to be down.
	called bool
	// provider is the id of the one that failed, code what people are shown.
	provider string
	code     domain.FailureCode
}

// ask puts a question. A provider that does not answer because it is down is no reason
// to fail while another one can; but an answer that broke off was made and may be
// charged, so that it is not made again elsewhere.
func (a *asking) ask(ctx context.Context, first *providers.Model) (*reply, error) {
	var down *reply
	for _, model := range a.chain(ctx, first) {
		r, err := a.askOne(ctx, model)
		if err != nil {
			return nil, err
		}
		if r.failed == nil {
			r.call.Before = a.made
			return r, nil
		}
		if r.failed.called {
			a.made = append(a.made, r.call)
		}
		if down = worse(down, r); !a.nextMayTry(down.failed, r.failed) {
			break
		}
	}
	return down, nil
}

// chain lists the session's provider and its fallbacks, each once. A misconfigured one is skipped: the
// problem is shown where it is configured.
func (a *asking) chain(ctx context.Context, first *providers.Model) []*providers.Model {
	d := a.driver
	all := []*providers.Model{first}
	seen := map[string]bool{first.ID: true}
	for _, id := range d.view.Workspace.Settings.FallbackProviders {
		if seen[id] {
			continue
		}
		seen[id] = true
		model, err := d.loop.cfg.Models.For(ctx, d.session.WorkspaceID, id)
		if err != nil {
			d.loop.cfg.Log.Warn().Err(err).Str("workspace", d.session.WorkspaceID).Str("provider", id).
				Msg("a fallback provider cannot be used")
			continue
		}
		all = append(all, model)
	}
	return all
}

// askOne calls one model.
func (a *asking) askOne(ctx context.Context, model *providers.Model) (*reply, error) {
	d, call := a.driver, a.newCall(model)
	request, err := a.request(ctx, model, call)
	if err != nil {
		return nil, err
	}
	d.underWay = call
	answer, err := model.Provider.Query(traces.With(d.loop.noteSent(ctx, d.session), traceParent(d.session, call.ID)), request)
	d.underWay = nil
	if ctx.Err() != nil { // who cut it has recorded it
		took := d.loop.cfg.Clock().Sub(call.StartedAt)
		d.loop.cfg.Observer.AICall(call.ProviderKind, domain.OutcomeCut, took, 0, domain.Usage{}, call.Model)
		return nil, errLetGo
	}
	if err == nil {
		if answer.Raw.StopReason == domain.StopLength {
			answer.Raw.CutAt = int(answer.Usage.OutputTokens)
			answer.Raw.CutLimit = allowed(model, request.MaxTokens, len(request.Prompt.Commands) > 0)
		}
		a.endCall(call, model, answer)
		return &reply{model: model, call: call, answer: answer}, nil
	}
	return &reply{model: model, call: call, failed: a.failedCall(call, err)}, nil
}

// noteSent has the scheduler notified when the request of the call is on its way: from then on it needs no slot.
func (l *Loop) noteSent(ctx context.Context, session *domain.Session) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			l.cfg.Hooks.CallSent(session)
		}
	}})
}

// failedCall classifies a failed call and completes its record.
func (a *asking) failedCall(call *domain.Roundtrip, err error) *failure {
	d := a.driver
	f, text := &failure{class: providers.ClassNetwork, problem: err.Error(), called: true}, ""
	if e, ok := errors.AsType[*providers.Error](err); ok {
		f.class, f.problem, f.retryAfter = e.Class, e.Message, e.RetryAfter
		f.partial, f.called = e.Partial, !e.NotCalled
		text = e.Text
		a.usedAllTheSame(call, e.Usage)
		if e.Forbidden {
			f.code = domain.FailureForbidden
		}
	}
	f.provider, f.code = call.ProviderID, cmp.Or(f.code, domain.FailureCode("provider_"+f.class))
	call.Outcome, call.Error, call.EndedAt = string(f.class), f.problem, d.loop.cfg.Clock()
	if f.called {
		providers.Observe(d.loop.cfg.Observer, call)
	}
	if f.part = a.partOf(call, f, text); f.part == nil && d.streamed != "" {
		d.loop.cfg.Streams.Discard(call.WorkspaceID, call.SessionID, d.streamed, string(f.class))
		d.streamed = ""
	}
	return f
}

// maxPart bounds what is kept of an answer that was not finished, in bytes.
const maxPart = 1 << 20

// partOf is what a person keeps of an answer whose call failed midway: the text so far. A run retries by
// itself, and has no reader.
func (a *asking) partOf(call *domain.Roundtrip, f *failure, text string) *domain.PartialAnswer {
	d := a.driver
	if text == "" && d.said != nil {
		text = d.said.String()
	}
	stop := domain.StopBrokenOff
	switch f.class {
	case providers.ClassRefused:
		stop = domain.StopFiltered
	case providers.ClassNetwork, providers.ClassOverloaded, providers.ClassRateLimited:
	default:
		return nil
	}
	read := call.Purpose == purposeAnswer && d.session.Type == domain.Chat && f.partial
	if !read || len(text) >= maxPart || strings.TrimSpace(text) == "" {
		return nil
	}
	return &domain.PartialAnswer{MessageID: call.MessageID, Text: text, StopReason: stop}
}

// usedAllTheSame records the usage of a failed call. A provider that was cut before it could report it has
// read the prompt at least.
func (a *asking) usedAllTheSame(call *domain.Roundtrip, usage domain.Usage) {
	if usage.Total() == 0 {
		return
	}
	if call.Usage = usage; usage.Total() == usage.OutputTokens {
		call.Usage.InputTokens = int64(call.PromptTokens)
	}
	if call.Usage.Cost == nil {
		call.Usage.Cost = a.driver.view.Workspace.Settings.CostOf(call.Usage, call.Model)
	}
}

// nextMayTry reports whether another provider is called after this failure. first is that of the session's
// own provider: a failing fallback never ends the chain.
func (a *asking) nextMayTry(first, latest *failure) bool {
	switch {
	case !first.class.Retryable() && first.class != providers.ClassQuota, latest.partial:
		return false
	case first == latest && first.class == providers.ClassRateLimited && a.driver.session.Type != domain.Chat:
		return first.retryAfter == 0 || first.retryAfter > shortWait
	}
	return true
}

// worse joins the failures of a chain: it is unavailable until the first of its providers may be called
// again, and the message has each provider's own.
func worse(first, latest *reply) *reply {
	if first == nil {
		return latest
	}
	f, l := first.failed, latest.failed
	f.problem = strings.TrimRight(f.problem, ". ") + "; the fallback " + latest.model.Label() + ": " + l.problem
	f.partial = f.partial || l.partial
	f.part = cmp.Or(f.part, l.part)
	if l.class.Retryable() {
		f.retryAfter = min(f.retryAfter, l.retryAfter)
	}
	return first
}

// maxTooLong limits how often a provider is called, for an answer and for summaries, while it rejects each
// prompt as too long. The last two calls are for the answer.
const maxTooLong = 4

// tooLongCalls counts the calls that were too long since the last answer.
func (a *asking) tooLongCalls() int {
	n := a.driver.session.State.TooLong
	for _, call := range a.made {
		if call.Outcome == domain.OutcomeTooLong {
			n++
		}
	}
	return n
}

// lastMade is the latest call that was made, with those before it; nil when none was.
func (a *asking) lastMade() *domain.Roundtrip {
	if len(a.made) == 0 {
		return nil
	}
	last := a.made[len(a.made)-1]
	last.Before = a.made[:len(a.made)-1]
	return last
}

// eventOf returns the event for a failure.
func (a *asking) eventOf(f *failure) domain.Event {
	call := a.lastMade()
	if f.class.Retryable() {
		return domain.NetworkErrorOccurred{
			Code: f.code, Problem: f.problem, RetryAfter: f.retryAfter, ProviderID: f.provider, Partial: f.part, Roundtrip: call,
		}
	}
	return domain.SystemErrorOccurred{Code: f.code, Problem: f.problem, ProviderID: f.provider, Partial: f.part, Roundtrip: call}
}
