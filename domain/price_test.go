package domain

import (
	"math"
	"testing"
	"time"
)

// TestWhatACallCosts: each kind of token by its own price; cached ones as input where
// nothing is said of them.
func TestWhatACallCosts(t *testing.T) {
	used := Usage{InputTokens: 1_000_000, CacheReadTokens: 2_000_000, CacheWriteTokens: 500_000, OutputTokens: 100_000, ReasoningTokens: 90_000}
	read, write := 0.3, 3.75
	for _, x := range []struct {
		price Price
		want  float64
	}{
		{Price{Input: 3, Output: 15, CacheRead: &read, CacheWrite: &write}, 3 + 0.6 + 1.875 + 1.5},
		{Price{Input: 3, Output: 15}, 3 + 6 + 1.5 + 1.5},
		{Price{}, 0},
	} {
		if got := x.price.Cost(used); math.Abs(got-x.want) > 1e-9 {
			t.Errorf("%+v: %v, want %v", x.price, got, x.want)
		}
	}
}

// TestThePatternThatSaysMost wins, and a name wins over every pattern.
func TestThePatternThatSaysMost(t *testing.T) {
	prices := Prices{"*": {Input: 1}, "llama-*": {Input: 2}, "llama-*-70b": {Input: 3}, "llama-3-70b": {Input: 4}, "a*c": {Input: 5}, "ab*": {Input: 5.5}, "qwen": {Input: 6}, "": {Input: 7}}
	for model, want := range map[string]float64{
		"llama-3-70b": 4, "llama-4-70b": 3, "llama-4": 2, "mistral": 1, "abc": 5, "llama--70b": 3, "llama-70b": 2, "qwen": 6, "qwen2": 1, "vendor/llama-3": 1,
	} {
		if got, ok := prices.Of(model); !ok || got.Input != want {
			t.Errorf("%s costs %v (%v), want %v", model, got.Input, ok, want)
		}
	}
	for _, model := range []string{"", "x"} {
		if got, ok := (Prices{"llama-*": {Input: 2}, "": {Input: 1}, "qwen": {Input: 1}}).Of(model); ok {
			t.Errorf("%q has a price: %+v", model, got)
		}
	}
	if matches("a*a", "a") || !matches("a*a", "aa") || !matches("a**b", "ab") || !matches("*b*", "abc") {
		t.Error("a pattern takes a character twice, or none")
	}
}

// TestTheWorkspaceKnowsBetter verifies that the workspace's prices take precedence, under every name of the model,
// and that no price is invented for a model without one.
func TestTheWorkspaceKnowsBetter(t *testing.T) {
	million := Usage{InputTokens: 1_000_000}
	settings := DefaultSettings()
	cost := func(models ...string) float64 {
		t.Helper()
		c := settings.CostOf(million, models...)
		if c == nil {
			return -1
		}
		return *c
	}
	if got := cost("gpt-4o-2024-08-06", "gpt-4o"); got != 2.5 {
		t.Errorf("the built-in price is %v", got)
	}
	if got := cost("something-new-2026", "gpt-4o"); got != 2.5 {
		t.Errorf("the name that was asked for: %v", got)
	}
	if got := cost("llama3.1"); got != -1 {
		t.Errorf("a model without a price costs %v", got)
	}
	settings.Prices = Prices{"gpt-4o": {Input: 1}, "llama*": {Input: 0}}
	if got := cost("gpt-4o-2024-08-06", "gpt-4o"); got != 1 {
		t.Errorf("the workspace's own price: %v", got)
	}
	if got := cost("llama3.1"); got != 0 {
		t.Errorf("a free model costs %v", got)
	}
}

// TestTheBuiltInPricesArePlausible: a slip of a digit in the file shows here.
func TestTheBuiltInPricesArePlausible(t *testing.T) {
	if _, err := time.Parse(time.DateOnly, PricesAsOf); err != nil {
		t.Errorf("the prices have no date: %v", err)
	}
	if len(builtInPrices) < 20 {
		t.Errorf("only %d prices", len(builtInPrices))
	}
	for model, p := range builtInPrices {
		ratio := p.Output / p.Input
		if p.Input <= 0 || p.Input > 30 || ratio < 2 || ratio > 10 {
			t.Errorf("%s: %v in, %v out", model, p.Input, p.Output)
		}
		if p.CacheRead == nil || *p.CacheRead >= p.Input || p.CacheWrite != nil && *p.CacheWrite < p.Input {
			t.Errorf("%s: reading from a cache costs %v, writing %v", model, p.CacheRead, p.CacheWrite)
		}
	}
}
