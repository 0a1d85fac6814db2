package orchestrator

import (
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// asked gathers what calls to servers outside want of a person. Of several the first is
// asked: the others ask again when its answer is there.
type asked struct {
	mu    sync.Mutex
	first *domain.OutsideAsk
}

func (a *asked) add(ask domain.OutsideAsk) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first == nil {
		a.first = &ask
	}
}

// peek gives what is asked; nil: nothing is.
func (a *asked) peek() *domain.OutsideAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.first
}

// take is peek, and forgets it.
func (a *asked) take() *domain.OutsideAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := a.first
	a.first = nil
	return first
}
