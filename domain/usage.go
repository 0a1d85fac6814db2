package domain

// Usage sums what a session's calls used. Tokens are counted apart: InputTokens are
// the uncached ones. Cost is nil for a model without a price.
type Usage struct {
	InputTokens      int64    `json:"input_tokens"`
	CacheReadTokens  int64    `json:"cache_read_tokens"`
	CacheWriteTokens int64    `json:"cache_write_tokens"`
	OutputTokens     int64    `json:"output_tokens"`
	ReasoningTokens  int64    `json:"reasoning_tokens,omitempty"`
	Cost             *float64 `json:"cost,omitempty"` // in US dollars
}

// Total is what a budget of tokens counts.
func (u Usage) Total() int64 {
	return u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
}

// Plus adds two usages. A cost is kept if either has one.
func (u Usage) Plus(v Usage) Usage {
	sum := Usage{
		InputTokens:      u.InputTokens + v.InputTokens,
		CacheReadTokens:  u.CacheReadTokens + v.CacheReadTokens,
		CacheWriteTokens: u.CacheWriteTokens + v.CacheWriteTokens,
		OutputTokens:     u.OutputTokens + v.OutputTokens,
		ReasoningTokens:  u.ReasoningTokens + v.ReasoningTokens,
	}
	if u.Cost != nil || v.Cost != nil {
		var cost float64
		for _, c := range []*float64{u.Cost, v.Cost} {
			if c != nil {
				cost += *c
			}
		}
		sum.Cost = &cost
	}
	return sum
}

// Budgets are limits of tokens and money on one session, or on the runs of an automation; nil: none.
type Budgets struct {
	MaxTokensPerRound *int64   `json:"max_tokens_per_round,omitempty"`
	MaxCostPerRound   *float64 `json:"max_cost_per_round,omitempty"`
	MaxCostPerSession *float64 `json:"max_cost_per_session,omitempty"`
	// MaxCostPerDay is an automation's: for all its runs of a day together.
	MaxCostPerDay *float64 `json:"max_cost_per_day,omitempty"`
}
