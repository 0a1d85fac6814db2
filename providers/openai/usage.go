package openai

import "github.com/fermata-dev/fermata/domain"

// usage is the wire's count of tokens, with the vendors' additions.
type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	PromptDetails    struct {
		CachedTokens     int64 `json:"cached_tokens"`
		CacheWriteTokens int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	ReasoningTokens int64 `json:"reasoning_tokens"`        // Perplexity
	CachedTokens    int64 `json:"cached_tokens"`           // Moonshot
	CacheHitTokens  int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
}

// domain counts cached tokens apart: on this wire the prompt's tokens include them.
func (u usage) domain(p *domain.Price) domain.Usage {
	prompt := max(u.PromptTokens, 0)
	read := min(max(u.PromptDetails.CachedTokens, u.CacheHitTokens, u.CachedTokens, 0), prompt)
	written := min(max(u.PromptDetails.CacheWriteTokens, 0), prompt-read)
	out := domain.Usage{
		InputTokens:      prompt - read - written,
		CacheReadTokens:  read,
		CacheWriteTokens: written,
		OutputTokens:     max(u.CompletionTokens, 0),
		ReasoningTokens:  max(u.CompletionDetails.ReasoningTokens, u.ReasoningTokens, 0),
	}
	if p != nil {
		cost := p.Cost(out)
		out.Cost = &cost
	}
	return out
}
