package anthropic

import "github.com/fermata-dev/fermata/domain"

// usage is the wire's count of tokens. A message's end corrects its beginning, where it
// says something.
type usage struct {
	Input      *int64 `json:"input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	Output     *int64 `json:"output_tokens"`
	Details    *struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u *usage) merge(later usage) {
	for _, n := range []struct{ old, later **int64 }{
		{&u.Input, &later.Input}, {&u.CacheWrite, &later.CacheWrite}, {&u.CacheRead, &later.CacheRead}, {&u.Output, &later.Output},
	} {
		if *n.later != nil {
			*n.old = *n.later
		}
	}
	if later.Details != nil {
		u.Details = later.Details
	}
}

// domain: on this wire the input's tokens do not include the cache's.
func (u *usage) domain() domain.Usage {
	count := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return max(*n, 0)
	}
	out := domain.Usage{
		InputTokens: count(u.Input), CacheReadTokens: count(u.CacheRead),
		CacheWriteTokens: count(u.CacheWrite), OutputTokens: count(u.Output),
	}
	if u.Details != nil {
		out.ReasoningTokens = max(u.Details.Thinking, 0)
	}
	return out
}
