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

// next returns how much of a session's prompt is the beginning of the one before, of how much, in tokens; whole is 0 for
// the first one.
func (p *prefixes) next(session string, ask *ai.Prompt) (reused, whole int) {
	p.mu.Lock()
	before := p.last[session]
	if p.last == nil || before == nil && len(p.last) >= maxPrefixes {
		p.last = map[string]*ai.Prompt{}
	}
	p.last[session] = ask
	p.mu.Unlock()
	if before == nil {
		return 0, 0
	}
	return prompt.Reused(before, ask)
}
