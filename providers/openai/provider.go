package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// provider calls one configured model.
type provider struct {
	kind   string
	config *config
	abilities
	vendor
	encoder encoder
	prefix  providers.Prefix
	// bare: the host takes nothing back of what it gave beside an answer's calls.
	bare atomic.Bool
}

func (k *kind) provider(raw json.RawMessage, secret string, client *http.Client) (*provider, error) {
	c, base, known, err := k.parse(raw)
	if err != nil {
		return nil, err
	}
	if err := c.NeedsModel(); err != nil {
		return nil, err
	}
	if known.needsKey && known.at(base) && secret == "" && c.APIKeyEnv == "" {
		return nil, domain.Invalid("/config/api_key", "required",
			"This vendor needs a key. Enter it here, or name the environment variable of the server that holds it.")
	}
	a := known.abilities
	a.json = c.jsonMode(a.json)
	if a.maxTokens == "" {
		a.maxTokens = "max_tokens"
	}
	if a.role == "" {
		a.role = "system"
	}
	return &provider{
		kind: k.name, config: c, abilities: a, vendor: newVendor(base, secret, client),
		encoder: newEncoder(k.name, originOf(k.name, base.String(), c.Model), a),
	}, nil
}

// Abilities combines the preset with the config.
func (p *provider) Abilities() providers.Abilities {
	a := p.config.Abilities()
	a.NativeCalls = a.NativeCalls && !p.noTools
	a.StructuredOutput = p.json != jsonNone
	a.Sees = p.config.SeesBy(sees)
	return a
}

// Query makes one call, and another one without the additional fields of earlier calls if the host
// rejects them.
func (p *provider) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	watch := providers.NewWatch(ctx, p.config.Timeouts, request.OnDelta != nil)
	defer watch.Stop()
	encoder := p.encoder
	if p.bare.Load() {
		encoder.origin = ""
	}
	response, err := p.send(watch.Ctx, http.MethodPost, "chat/completions", p.body(request, encoder))
	if refused := encoder.refusedBack(request.Prompt, err); refused {
		encoder.origin = ""
		if response, err = p.send(watch.Ctx, http.MethodPost, "chat/completions", p.body(request, encoder)); err == nil {
			p.bare.Store(true)
		}
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // the answer, or its lack, is known by then
	a := answers.Get().(*answer)
	defer a.release()
	a.start(p.abilities, request.OnDelta)
	a.events.reset(watch.Reader(response.Body))
	if err := p.read(a, watch); err != nil {
		return nil, p.readError(watch.Ctx, err, response)
	}
	raw, err := a.raw(p.kind, p.encoder.origin, request.Prompt.Protocol, request.NewID)
	if err != nil {
		return nil, p.readError(watch.Ctx, err, response)
	}
	if raw.Model == "" {
		raw.Model = p.config.ModelFor(request)
	}
	watch.Drain(response.Body)
	return &providers.Answer{Raw: raw, Usage: a.used(p.config.Prices), FirstTokenAt: a.first}, nil
}

// read reads a response in any form: not every server responds in the requested one.
func (p *provider) read(a *answer, watch *providers.Watch) error {
	first, err := a.events.lines.first()
	switch {
	case errors.Is(err, io.EOF):
		return errBrokeOff
	case err != nil:
		return err
	case first == '{' || first == '[':
		return p.readWhole(a)
	case first == '<':
		page, _ := a.events.lines.rest(maxWhole) // a sample is enough
		return providers.Errorf(providers.ClassInvalidRequest,
			"a web page came instead of an answer; is the base URL right (with /v1)? It says: %s",
			providers.Redact(providers.PageSample(page), p.secret))
	}
	return p.readStream(a, watch)
}

func (p *provider) readWhole(a *answer) error {
	all, err := a.events.lines.rest(maxWhole)
	if err != nil {
		return err
	}
	if len(all) > 0 && all[0] == '[' { // some gateways put errors into a list
		return providers.ParseFailure(all).Error(0, p.secret)
	}
	if err := a.chunk.decode(all); err != nil {
		return errBrokeOff
	}
	if a.chunk.failure != nil {
		return p.failed(a.chunk.failure)
	}
	if !a.chunk.choice {
		return providers.Errorf(providers.ClassInvalidRequest,
			"this is no chat completions API: %s", providers.Redact(providers.PageSample(all), p.secret))
	}
	return a.add()
}

// readStream reads events up to the end mark, or to the end of a stream with a finish reason. Any
// other end is an error.
func (p *provider) readStream(a *answer, watch *providers.Watch) error {
	for {
		name, data, err := a.events.next()
		switch {
		case err != nil && a.complete() && !errors.Is(err, errTooLarge):
			return nil // only the usage may be missing
		case err != nil:
			return err
		case len(data) == 0:
			continue
		case isDone(data):
			return nil
		case name == "error" && !a.complete():
			return providers.ParseFailure(data).Error(0, p.secret)
		case !a.object(data):
			continue
		}
		err = p.take(a, data)
		switch {
		case err != nil && a.complete() && !errors.Is(err, errTooLarge):
			return nil
		case err != nil:
			return err
		case a.said() && a.complete() && len(a.chunk.finish) == 0:
			watch.GoesOn()
		case a.complete() && (len(a.chunk.finish) > 0 || a.chunk.usage != nil):
			watch.Ending(len(a.usage) > 0)
		}
	}
}

// take processes one event of a stream.
func (p *provider) take(a *answer, data []byte) error {
	if err := a.chunk.decode(data); err != nil {
		return providers.Errorf(providers.ClassNetwork, "the stream holds something that is not JSON: %s",
			providers.Redact(providers.PageSample(data), p.secret))
	}
	if a.chunk.failure != nil {
		return p.failed(a.chunk.failure)
	}
	return a.add()
}

// failed is an error that came inside a 200.
func (p *provider) failed(raw []byte) error {
	return providers.ParseFailure([]byte(`{"error":`+string(raw)+`}`)).Error(0, p.secret)
}

// readError classifies an error while reading a response.
func (p *provider) readError(ctx context.Context, err error, response *http.Response) error {
	var e *providers.Error
	var typed *providers.Error
	switch {
	case errors.As(err, &typed):
		known := *typed // errBrokeOff is shared
		e = &known
	case errors.Is(err, errTooLarge):
		e = providers.Errorf(
			providers.ClassInvalidRequest,
			"answer too large: more than %d MiB, a line of more than 1 MiB, or more than %d calls",
			maxAnswer>>20,
			maxCalls,
		)
	case ctx.Err() == nil:
		e = &providers.Error{Class: providers.ClassNetwork, Message: errBrokeOff.Message, Err: err}
	default:
		return providers.TransportError(ctx, err, p.secret)
	}
	e.RequestID = providers.RequestID(response.Header)
	e.RetryAfter = max(e.RetryAfter, providers.RetryAfter(response.Header, clock.System()))
	return e
}
