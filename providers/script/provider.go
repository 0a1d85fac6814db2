package script

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/providers"
)

type provider struct {
	config config
	mu     sync.Mutex
	used   []int
}

// Abilities includes everything.
func (p *provider) Abilities() providers.Abilities {
	return providers.Abilities{
		NativeCalls: p.config.Protocol != string(domain.ProtocolJSON), StructuredOutput: true, Streaming: true, AlwaysStreams: true,
		ContextWindow: p.config.ContextWindow, MaxTokens: p.config.MaxTokens, Model: p.config.Model,
	}
}

// Query returns the answer of the first matching step.
func (p *provider) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	asked := read(request)
	step, err := p.choose(asked)
	if err != nil {
		return nil, err
	}
	play := &playing{ctx: ctx, step: step, onDelta: request.OnDelta}
	if err := wait(ctx, step.DelayMS); err != nil {
		return nil, err
	}
	if f := step.Fault; f != nil && (step.Answer == nil || f.AfterTokens == 0) {
		return nil, play.fail()
	}
	raw, err := p.raw(step, asked, request)
	if err != nil {
		return nil, err
	}
	first := clock.System()
	if err := play.stream(raw); err != nil {
		return nil, err
	}
	answer := &providers.Answer{Raw: raw, FirstTokenAt: first, Usage: domain.Usage{InputTokens: 10, OutputTokens: 10}}
	if step.Usage != nil {
		answer.Usage = *step.Usage
	}
	return answer, nil
}

// maxShown bounds the quoted texts of a request, in characters.
const maxShown = 200

// choose returns the first matching step and counts its use.
func (p *provider) choose(a asked) (*Step, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.config.Steps {
		s := &p.config.Steps[i]
		if (s.Times == 0 || p.used[i] < s.Times) && s.fits(a) {
			p.used[i]++
			return s, nil
		}
	}
	return nil, providers.Errorf(providers.ClassInvalidRequest,
		"the script has no step for this: roundtrip %d, the person's last text %q, the last results %q; it has %s",
		a.roundtrip, shorten.Characters(a.text, maxShown), shorten.Characters(a.results, maxShown), p.steps())
}

// steps lists the script's steps for an error message.
func (p *provider) steps() string {
	if len(p.config.Steps) == 0 {
		return "no steps at all"
	}
	list := make([]string, len(p.config.Steps))
	for i, s := range p.config.Steps {
		list[i] = strconv.Itoa(i)
		if s.Name != "" {
			list[i] += " (" + s.Name + ")"
		}
		if s.Times > 0 && p.used[i] >= s.Times {
			list[i] += " used up"
		}
	}
	return "the steps " + strings.Join(list, ", ")
}

// raw returns the step's answer with its values filled in.
func (p *provider) raw(s *Step, a asked, request *providers.Request) (*domain.RawAnswer, error) {
	fill, err := s.values(a)
	if err != nil {
		return nil, err
	}
	raw := &domain.RawAnswer{
		Protocol: request.Prompt.Protocol, Text: fill.Replace(s.Answer.Text),
		StopReason: "stop", Model: p.config.Model, Provider: KindName,
	}
	if len(s.Answer.JSON) > 0 {
		raw.Text = fill.Replace(string(s.Answer.JSON))
	}
	raw.Text += strings.Repeat("0123456789abcde\n", s.Answer.Megabytes<<16)
	if s.Answer.Thinking != "" {
		raw.Thinking = []domain.Thinking{{Text: s.Answer.Thinking}}
	}
	for _, c := range s.Answer.Calls {
		raw.StopReason = "calls"
		raw.Calls = append(raw.Calls, domain.RawCall{
			ID: request.NewID("call"), ProviderID: c.ID, Name: c.Name, Arguments: fill.Replace(c.arguments()),
		})
	}
	if s.Answer.StopReason != "" {
		raw.StopReason = s.Answer.StopReason
	}
	switch providers.FinishOf(raw.StopReason) { // as for every provider: truncated calls are dropped
	case providers.FinishLength:
		providers.Incomplete(raw, domain.StopLength, raw.StopReason, s.Answer.callNames())
	case providers.FinishUnknown:
		providers.Incomplete(raw, domain.StopUnknown, raw.StopReason, s.Answer.callNames())
	}
	return raw, nil
}

func (a *Answer) callNames() []string {
	var names []string
	for _, c := range a.Calls {
		names = append(names, c.Name)
	}
	return names
}

// playing streams one answer.
type playing struct {
	ctx     context.Context
	step    *Step
	onDelta func(providers.Delta)
	tokens  int
}

// stream sends the answer in pieces, interrupted by the step's fault.
func (p *playing) stream(raw *domain.RawAnswer) error {
	for _, t := range raw.Thinking {
		if err := p.pieces(providers.DeltaThinking, t.Text); err != nil {
			return err
		}
	}
	if err := p.pieces(providers.DeltaText, raw.Text); err != nil {
		return err
	}
	for _, c := range raw.Calls {
		if err := p.pieces(providers.DeltaArguments, c.Arguments); err != nil {
			return err
		}
	}
	if p.step.Fault != nil {
		return p.fail()
	}
	if p.ctx.Err() != nil {
		return cancelled(p.ctx)
	}
	return nil
}

func (p *playing) pieces(kind providers.DeltaKind, text string) error {
	for _, piece := range strings.SplitAfter(text, " ") {
		if piece == "" {
			continue
		}
		if p.step.Fault != nil && p.tokens >= p.step.Fault.AfterTokens {
			return p.fail()
		}
		if p.tokens > 0 {
			if err := wait(p.ctx, p.step.TokenDelayMS); err != nil {
				return err
			}
		}
		p.tokens++
		if p.onDelta != nil {
			p.onDelta(providers.Delta{Kind: kind, Text: piece})
		}
	}
	return nil
}

// fail returns the step's fault; a hanging step ends with the call's context.
func (p *playing) fail() error {
	f := p.step.Fault
	if f.Hang {
		<-p.ctx.Done()
		return cancelled(p.ctx)
	}
	e := &providers.Error{
		Class: f.Class, Message: f.Message, Status: f.Status,
		RetryAfter: time.Duration(f.RetryAfterSeconds * float64(time.Second)),
	}
	if e.Class == "" {
		e.Class = providers.ClassNetwork
	}
	if e.Message == "" {
		e.Message = fmt.Sprintf("the script's fault of class %s", e.Class)
	}
	return e
}

func cancelled(ctx context.Context) error { return providers.TransportError(ctx, ctx.Err(), "") }

// wait waits so many milliseconds; it ends with ctx.
func wait(ctx context.Context, ms float64) error {
	if ms <= 0 {
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		return nil
	}
	timer := time.NewTimer(time.Duration(ms * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return cancelled(ctx)
	}
}
