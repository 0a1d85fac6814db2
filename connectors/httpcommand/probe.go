package httpcommand

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// executionParam is an additional parameter of probe templates: the Idempotency-Key of the call.
const executionParam = "execution_id"

// Probe checks with a GET whether a call was carried out. It was if the response contains
// everything expected, and was not if it is 404 or differs.
func (a *api) Probe(ctx context.Context, call connectors.Call) (done bool, result outside.Result, err error) {
	probe := call.Definition.Probe
	if probe == nil {
		return false, result, outside.ErrNoProbe
	}
	p, err := readParams(call.Params)
	if err != nil {
		return false, result, unsendable(err)
	}
	p.values[executionParam] = call.ExecutionID
	request, expected, err := a.probing(ctx, call, p)
	if err != nil {
		return false, result, unsendable(err)
	}
	got, err := a.send(request, maxParsed)
	if err != nil {
		return false, result, err
	}
	if got.status == http.StatusNotFound || got.status == http.StatusGone {
		return false, result, nil
	}
	if err := refusal(a.name, got); err != nil {
		return false, result, err
	}
	value, err := decode(got.text)
	if err != nil || got.cut {
		return false, result, unreadable(a.name, got.status, "a body that is not JSON")
	}
	if !holds(value, expected) {
		return false, result, nil
	}
	result, err = a.resultJSON(got, "")
	return err == nil, result, err
}

// probing returns the request of a probe and the expected content.
func (a *api) probing(ctx context.Context, call connectors.Call, p *params) (*http.Request, any, error) {
	template, queryTemplate, _ := strings.Cut(call.Definition.Probe.Path, "?")
	path, err := p.path(template)
	if err != nil {
		return nil, nil, err
	}
	filled, _, err := p.fill(queryTemplate, url.QueryEscape)
	if err != nil {
		return nil, nil, err
	}
	query, err := url.ParseQuery(filled)
	if err != nil {
		return nil, nil, err
	}
	expect, err := jsonbody.Value(call.Definition.Probe.Expect)
	if err != nil {
		return nil, nil, err
	}
	expected, _, err := p.body(expect)
	if err != nil {
		return nil, nil, err
	}
	asking := call
	asking.ExecutionID, asking.Definition.Effect = "", domain.EffectRead
	request, err := a.made(ctx, asking, http.MethodGet, path, query, http.Header{}, nil)
	return request, expected, err
}

// holds reports whether a value contains the expected one: each expected member of an object, for
// each expected item of a list one that contains it, otherwise an equal value.
func holds(value, expected any) bool {
	switch want := expected.(type) {
	case map[string]any:
		object, ok := value.(map[string]any)
		for name, inner := range want {
			if have, there := object[name]; !there || !holds(have, inner) {
				return false
			}
		}
		return ok
	case []any:
		list, ok := value.([]any)
		for _, inner := range want {
			if !slices.ContainsFunc(list, func(have any) bool { return holds(have, inner) }) {
				return false
			}
		}
		return ok
	case json.Number:
		have, ok := value.(json.Number)
		return ok && sameNumber(have, want)
	}
	return reflect.DeepEqual(value, expected)
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, err1 := a.Float64()
	y, err2 := b.Float64()
	return err1 == nil && err2 == nil && x == y
}

// Ping requests the base URL. Any response shows that the API is up, except one that rejects the
// credentials or reports a server error.
func (a *api) Ping(ctx context.Context) error {
	asking := connectors.Call{Definition: outside.ConnectorCommand{Effect: domain.EffectRead}}
	request, err := a.made(ctx, asking, http.MethodGet, "", nil, http.Header{}, nil)
	if err != nil {
		return unsendable(err)
	}
	got, err := a.send(request, a.config.MaxResultBytes)
	if err != nil {
		return err
	}
	if got.status == http.StatusUnauthorized || got.status >= 500 {
		return refusal(a.name, got)
	}
	return nil
}
