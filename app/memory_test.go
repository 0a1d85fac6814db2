package app

import (
	"testing"
	"testing/synctest"
	"time"
)

// Memory is given back once after each time with work, when the work is over, and never
// while there is some.
func TestMemoryIsGivenBackAfterWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var allocated uint64
		given := 0
		m := &memory{allocated: func() uint64 { return allocated }, giveBack: func() { given++ }}
		service := m.service()
		if err := service.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, step := range []struct {
			bytes uint64 // allocated before the next look
			given int
		}{
			{manyBytes / 2, 0}, {fewBytes - 1, 0}, {manyBytes, 0}, {100 * manyBytes, 0}, {fewBytes, 0}, // at work
			{fewBytes - 1, 1}, {0, 1}, {fewBytes - 1, 1}, // at rest: once
			{manyBytes, 1}, {1, 2}, {1, 2}, // a little work, and rest
			{fewBytes - 1, 2}, {fewBytes - 1, 2}, {fewBytes - 1, 2}, {fewBytes - 1, 2}, {fewBytes, 2}, {fewBytes - 1, 3}, // a trickle adds up
		} {
			allocated += step.bytes
			time.Sleep(lookAtMemory)
			synctest.Wait()
			if given != step.given {
				t.Errorf("after step %d memory was given back %d times, and not %d", i, given, step.given)
			}
		}
		if err := service.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// What the process counts is what it allocates.
func TestTheProcessCountsItsMemory(t *testing.T) {
	m := processMemory()
	before := m.allocated()
	kept := make([]byte, 1<<20)
	if now := m.allocated(); now-before < uint64(len(kept)) {
		t.Errorf("%d bytes for %d", now-before, len(kept))
	}
	m.giveBack()
}
