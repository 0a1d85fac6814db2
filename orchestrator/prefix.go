package orchestrator

import (
	"sync"

	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
)

// prefixes remembers the latest prompt of sessions, to measure how much of the next one begins with it: a provider's
// cache reads that much again for a fraction of the price.
type prefixes struct {
	mu   sync.Mutex
	last map[string]*ai.Prompt
}

// maxPrefixes bounds the prompts that are remembered; one too many forgets them all.
const maxPrefixes = 256

// next returns the share of a session's prompt that is the beginning of the one before; false for the first one.
func (p *prefixes) next(session string, ask *ai.Prompt) (ratio float64, known bool) {
	p.mu.Lock()
	before := p.last[session]
	if p.last == nil || before == nil && len(p.last) >= maxPrefixes {
		p.last = map[string]*ai.Prompt{}
	}
	p.last[session] = ask
	p.mu.Unlock()
	if before == nil {
		return 0, false
	}
	reused, whole := prompt.Reused(before, ask)
	if whole == 0 {
		return 0, false
	}
	return float64(reused) / float64(whole), true
}
