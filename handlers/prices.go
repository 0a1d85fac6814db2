package handlers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// pricesPatch is a merge patch of the workspace's own prices: null takes a model's away.
type pricesPatch map[string]nullable.Nullable[pricePatch]

type pricePatch struct {
	Input      *float64                   `json:"input"`
	Output     *float64                   `json:"output"`
	CacheRead  nullable.Nullable[float64] `json:"cache_read"`
	CacheWrite nullable.Nullable[float64] `json:"cache_write"`
}

const (
	maxPrices    = 200
	maxModelName = 200
	maxPrice     = 1_000_000
)

// checkPrices does by hand what tags do elsewhere: the names of models have points in
// them, which the path of a broken rule cannot tell from its own.
func checkPrices(patch pricesPatch) error {
	var mistakes jsonbody.Mistakes
	if len(patch) > maxPrices {
		mistakes.AddAt("/prices", "too_large", fmt.Sprintf("This must be at most %d items.", maxPrices))
	}
	for _, model := range slices.Sorted(maps.Keys(patch)) {
		at := "/prices/" + jsonbody.Part(model)
		if strings.TrimSpace(model) == "" || utf8.RuneCountInString(model) > maxModelName {
			mistakes.AddAt(at, "wrong_format", fmt.Sprintf("The name of a model has 1 to %d characters.", maxModelName))
		}
		if !patch[model].IsNull() {
			checkPrice(&mistakes, at, patch[model][true])
		}
	}
	return invalid(&mistakes)
}

func checkPrice(mistakes *jsonbody.Mistakes, at string, price pricePatch) {
	for _, p := range []struct {
		name   string
		value  *float64
		needed bool
	}{
		{"cache_read", given(price.CacheRead), false},
		{"cache_write", given(price.CacheWrite), false},
		{"input", price.Input, true},
		{"output", price.Output, true},
	} {
		switch pointer := at + "/" + p.name; {
		case p.value == nil && p.needed:
			mistakes.AddAt(pointer, "required", "This is needed.")
		case p.value != nil && *p.value < 0:
			mistakes.AddAt(pointer, "too_small", "This must be at least 0.")
		case p.value != nil && *p.value > maxPrice:
			mistakes.AddAt(pointer, "too_large", fmt.Sprintf("This must be at most %d.", maxPrice))
		}
	}
}

// given is the value of a patch, nil where it says nothing or null.
func given[T any](patch nullable.Nullable[T]) *T {
	if v, ok := patch[true]; ok {
		return &v
	}
	return nil
}

// applyPrices changes the prices of the models that the patch names.
func applyPrices(dst *domain.Prices, patch pricesPatch) {
	all := maps.Clone(*dst)
	if all == nil {
		all = domain.Prices{}
	}
	for model, p := range patch {
		if p.IsNull() {
			delete(all, model)
			continue
		}
		price, in := all[model], p[true]
		price.Input, price.Output = *in.Input, *in.Output
		mergeOptional(&price.CacheRead, in.CacheRead)
		mergeOptional(&price.CacheWrite, in.CacheWrite)
		all[model] = price
	}
	*dst = all
}
