package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/fermata-dev/fermata/providers"
)

const (
	maxModelsPage = 8 << 20 // bytes of a page of the list
	maxModels     = 5000
)

// models lists the models available with this key, sorted.
func models(ctx context.Context, raw json.RawMessage, secret string, client *http.Client) ([]string, error) {
	_, base, err := parse(raw)
	if err != nil {
		return nil, err
	}
	ctx, cancel := providers.ForModels(ctx)
	defer cancel()
	c := newClient(base.String(), secret, client)
	names := []string{}
	pages := c.Models.ListAutoPaging(ctx, sdk.ModelListParams{Limit: sdk.Int(1000)}, option.WithMiddleware(page(secret)))
	for len(names) < maxModels && pages.Next() {
		if id := pages.Current().ID; id != "" {
			names = append(names, clean(id))
		}
	}
	if err := pages.Err(); err != nil {
		return nil, providers.TransportError(ctx, err, secret)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// page reads a page of the list, which the SDK would read whole however long it is, and
// says what came instead of one.
func page(secret string) option.Middleware {
	return func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		response, err := next(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }() // it was read
		body, err := io.ReadAll(io.LimitReader(response.Body, maxModelsPage))
		if err != nil {
			return nil, err
		}
		if !json.Valid(body) {
			return nil, providers.Errorf(
				providers.ClassInvalidRequest,
				"no list of models came; is the base URL right (the bare host)? It says: %s",
				providers.PageSample([]byte(providers.Redact(string(body), secret))),
			)
		}
		response.Header.Set("Content-Type", "application/json") // some proxies forget it
		response.Body = io.NopCloser(bytes.NewReader(body))
		return response, nil
	}
}
