package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"

	"google.golang.org/genai"

	"github.com/fermata-dev/fermata/providers"
)

// provider calls one configured model.
type provider struct {
	config *config
	secret string
	models *genai.Models
	prefix providers.Prefix
}

func newProvider(raw json.RawMessage, secret string, client *http.Client) (*provider, error) {
	c, base, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if err := c.NeedsModel(); err != nil {
		return nil, err
	}
	models, err := library(base, secret, client)
	if err != nil {
		return nil, err
	}
	return &provider{config: c, secret: secret, models: models}, nil
}

// noKey is what the library gets for a key: with none it looks in the environment.
const noKey = "the-transport-sets-it"

// library makes the vendor's client. All that it would else take from the environment
// is set.
func library(base *url.URL, secret string, client *http.Client) (*genai.Models, error) {
	made, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: noKey, Backend: genai.BackendGeminiAPI, HTTPClient: newClient(client, base, secret),
		HTTPOptions: genai.HTTPOptions{BaseURL: base.String(), APIVersion: "v1beta"},
	})
	if err != nil {
		return nil, fmt.Errorf("make the Gemini client: %w", err)
	}
	return made.Models, nil
}

// Abilities returns the abilities that the config allows.
func (p *provider) Abilities() providers.Abilities {
	a := p.config.Abilities()
	a.StructuredOutput = true
	a.Sees = p.config.SeesBy(sees)
	return a
}

// Query makes one call.
func (p *provider) Query(ctx context.Context, request *providers.Request) (*providers.Answer, error) {
	c := &call{form: formWhole, body: p.body(request)}
	if request.OnDelta != nil {
		c.form = formStream
	}
	c.watch = providers.NewWatch(ctx, p.config.Timeouts, request.OnDelta != nil)
	defer c.watch.Stop()
	a := &answer{newID: request.NewID, onDelta: request.OnDelta}
	err := p.ask(c.in(c.watch.Ctx), request, a)
	if a.why == "" {
		a.why = c.why
	}
	switch {
	case err != nil:
		return nil, failure(c.watch.Ctx, err, p.secret)
	case c.err != nil && (a.finish == "" || errors.Is(c.err, errTooLarge)):
		return nil, readError(c.watch.Ctx, c.err, p.secret)
	}
	// A stream that breaks after its finish reason is complete: at most the usage is missing.
	raw, err := a.raw(request.Prompt.Protocol)
	if err != nil {
		return nil, readError(c.watch.Ctx, err, p.secret)
	}
	if raw.Model == "" {
		raw.Model = p.config.ModelFor(request)
	}
	return &providers.Answer{Raw: raw, Usage: a.used(), FirstTokenAt: a.first}, nil
}

// ask calls the library and accumulates the answer.
func (p *provider) ask(ctx context.Context, request *providers.Request, a *answer) error {
	model, options := p.config.ModelFor(request), p.options(request)
	contents := []*genai.Content{{Role: genai.RoleUser}} // the transport sends the real ones
	if request.OnDelta == nil {
		response, _, err := guarded(func() (*genai.GenerateContentResponse, error, bool) {
			response, err := p.models.GenerateContent(ctx, model, contents, options)
			return response, err, true
		})
		if err != nil {
			return err
		}
		return a.add(response)
	}
	next, stop := iter.Pull2(p.models.GenerateContentStream(ctx, model, contents, options))
	defer stop()
	for {
		response, more, err := guarded(next)
		if err != nil || !more {
			return err
		}
		if err := a.add(response); err != nil {
			return err
		}
	}
}

// guarded calls the library, which panics where an answer's members are of another
// type than it expects.
func guarded(step func() (*genai.GenerateContentResponse, error, bool)) (r *genai.GenerateContentResponse, more bool, err error) {
	defer func() {
		if recover() != nil {
			r, more, err = nil, false, errNotGemini
		}
	}()
	r, err, more = step()
	return r, more, err
}

// failure classifies an error of the library. Its text is not shown: it contains the whole answer.
func failure(ctx context.Context, err error, secret string) error {
	if _, sending := errors.AsType[*url.Error](err); sending || ctx.Err() != nil {
		return providers.TransportError(ctx, err, secret)
	}
	if _, known := errors.AsType[*providers.Error](err); !known && !errors.Is(err, errTooLarge) {
		err = errNotGemini
	}
	return readError(ctx, err, secret)
}

// readError classifies an error while reading an answer.
func readError(ctx context.Context, err error, secret string) error {
	if known, ok := errors.AsType[*providers.Error](err); ok {
		copied := *known // some are shared
		return &copied
	}
	switch {
	case errors.Is(err, errTooLarge):
		return providers.Errorf(
			providers.ClassInvalidRequest,
			"answer too large: more than %d MiB, or more than %d calls",
			maxAnswer>>20,
			maxCalls,
		)
	case ctx.Err() != nil:
		return providers.TransportError(ctx, err, secret)
	}
	return &providers.Error{Class: providers.ClassNetwork, Message: errBrokeOff.Message, Err: err}
}
