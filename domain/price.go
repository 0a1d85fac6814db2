package domain

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// Price is what a model costs, in US dollars for a million tokens. Cached tokens cost
// as much as other input where nothing is said of them.
type Price struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
}

// Cost is the price of what was used. Reasoning tokens are part of the output.
func (p Price) Cost(u Usage) float64 {
	read, write := p.Input, p.Input
	if p.CacheRead != nil {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil {
		write = *p.CacheWrite
	}
	total := float64(u.InputTokens)*p.Input + float64(u.CacheReadTokens)*read +
		float64(u.CacheWriteTokens)*write + float64(u.OutputTokens)*p.Output
	return total / 1e6
}

// Prices are prices of models, by name or by a pattern in which * matches any characters: "llama-*".
type Prices map[string]Price

// Of finds the price of a model: under its exact name, else under the most specific pattern.
func (p Prices) Of(model string) (Price, bool) {
	entry, ok := p.entry(model)
	return p[entry], ok
}

// entry is the name or pattern under which a model's price is listed.
func (p Prices) entry(model string) (string, bool) {
	if _, ok := p[model]; ok && model != "" {
		return model, true
	}
	best := ""
	for pattern := range p {
		if strings.Contains(pattern, "*") && matches(pattern, model) && saysMore(pattern, best) {
			best = pattern
		}
	}
	return best, best != ""
}

// PricedModel is a model's name in the built-in price list, without the open part of a pattern ("-2*" is a
// date). It is from a closed set, independent of the provider's own names.
func PricedModel(model string) (string, bool) {
	entry, ok := builtInPrices.entry(model)
	return strings.TrimSuffix(strings.TrimSuffix(entry, "-2*"), "*"), ok
}

// matches reports whether a model's name matches a pattern.
func matches(pattern, model string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	rest, ok := strings.CutPrefix(model, parts[0])
	if !ok || model == "" {
		return false
	}
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[last])
}

// saysMore reports whether a pattern is more specific: it has more literal characters. Ties are broken by
// name, so that the result does not depend on the order of a map.
func saysMore(pattern, than string) bool {
	a, b := len(strings.ReplaceAll(pattern, "*", "")), len(strings.ReplaceAll(than, "*", ""))
	return than == "" || a > b || a == b && pattern < than
}

//go:embed prices.json
var pricesFile []byte

// builtInPrices are those of well-known models as they were on PricesAsOf.
var builtInPrices, PricesAsOf = readPrices()

func readPrices() (prices Prices, asOf string) {
	var file struct {
		AsOf   string `json:"as_of"`
		Models Prices `json:"models"`
	}
	if err := json.Unmarshal(pricesFile, &file); err != nil {
		panic("domain: prices.json, which is part of the program, cannot be read: " + err.Error())
	}
	return file.Models, file.AsOf
}

// CostOf is the cost of a call: by the workspace's own prices, else by the built-in ones; nil for a model
// without a price. models are its names, most specific first: a provider may answer as "gpt-4o-2024-08-06"
// to a request for "gpt-4o".
func (s *Settings) CostOf(u Usage, models ...string) *float64 {
	for _, prices := range []Prices{s.Prices, builtInPrices} {
		for _, model := range models {
			if price, ok := prices.Of(model); ok {
				cost := price.Cost(u)
				return &cost
			}
		}
	}
	return nil
}
