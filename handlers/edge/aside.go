package edge

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// asideAtOnce bounds the looks into the database for streams: ten thousand listeners who
// come back at once wait for them with small stacks.
const asideAtOnce = 16

// Aside does what needs a deep stack, as every look into a database does, on one of its
// own. A goroutine keeps the stack that it once needed, and those of idle streams would be
// most of what they weigh. Nothing that waits for a listener is done here.
func (s *Edge) Aside(work func()) {
	s.deep <- struct{}{}
	done := make(chan any, 1)
	go func() {
		defer func() {
			<-s.deep
			done <- withStack(recover())
		}()
		work()
	}()
	if caught := <-done; caught != nil {
		panic(caught)
	}
}

// withStack adds to a panic where it came from, which is lost on another goroutine.
func withStack(caught any) any {
	if err, ok := caught.(error); caught == nil || ok && errors.Is(err, http.ErrAbortHandler) {
		return caught
	}
	return fmt.Sprintf("%v, at %s", caught, debug.Stack())
}
