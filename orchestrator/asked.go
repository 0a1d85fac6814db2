package orchestrator

import (
	"sync"

	"github.com/fermata-dev/fermata/domain"
)

// asked collects what external calls need from a person. Only the first question is asked: the other calls
// repeat theirs when it is answered.
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

// peek returns the question; nil: there is none.
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
