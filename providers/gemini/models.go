package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/fermata-dev/fermata/providers"
)

const maxModels = 2000

// models lists the models that answer, sorted.
func models(ctx context.Context, raw json.RawMessage, secret string, client *http.Client) (names []string, err error) {
	_, base, err := parse(raw)
	if err != nil {
		return nil, err
	}
	all, err := library(base, secret, client)
	if err != nil {
		return nil, err
	}
	ctx, cancel := providers.ForModels(ctx)
	defer cancel()
	c := &call{form: formModels}
	ctx = c.in(ctx)
	defer func() {
		if recover() != nil { // see guarded
			names, err = nil, errNotGemini
		}
	}()
	names = []string{}
	for model, err := range all.All(ctx) {
		if c.err != nil {
			return nil, readError(ctx, c.err, secret)
		}
		if err != nil {
			return nil, failure(ctx, err, secret)
		}
		if name := strings.TrimPrefix(clean(model.Name), "models/"); name != "" && answers(model) {
			names = append(names, name)
		}
		if len(names) >= maxModels { // an endless list
			break
		}
	}
	if c.err != nil {
		return nil, readError(ctx, c.err, secret)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// answers: others embed, or make images. A server that does not say is believed.
func answers(m *genai.Model) bool {
	return len(m.SupportedActions) == 0 || slices.Contains(m.SupportedActions, "generateContent")
}
