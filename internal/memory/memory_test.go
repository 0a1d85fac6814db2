package memory

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Memory is returned once after each period of work, when the work is over, and never during it.
func TestMemoryIsGivenBackAfterWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var allocated atomic.Uint64
		var given atomic.Int64
		m := &process{allocated: allocated.Load, giveBack: func() { given.Add(1) }}
		service := m.service()
		if err := service.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, step := range []struct {
			bytes uint64 // allocated before the next look
			given int64
		}{
			{manyBytes / 2, 0}, {fewBytes - 1, 0}, {manyBytes, 0}, {100 * manyBytes, 0}, {fewBytes, 0}, // at work
			{fewBytes - 1, 1}, {0, 1}, {fewBytes - 1, 1}, // at rest: once
			{manyBytes, 1}, {1, 2}, {1, 2}, // a little work, and rest
			{fewBytes - 1, 2}, {fewBytes - 1, 2}, {fewBytes - 1, 2}, {fewBytes - 1, 2}, {fewBytes, 2}, {fewBytes - 1, 3}, // a trickle adds up
		} {
			allocated.Add(step.bytes)
			time.Sleep(lookAtMemory)
			synctest.Wait()
			if given.Load() != step.given {
				t.Errorf("after step %d memory was returned %d times, not %d", i, given.Load(), step.given)
			}
		}
		if err := service.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// What the process counts is what it allocates.
func TestTheProcessCountsItsMemory(t *testing.T) {
	m := thisProcess()
	before := m.allocated()
	kept := make([]byte, 1<<20)
	if now := m.allocated(); now-before < uint64(len(kept)) {
		t.Errorf("%d bytes for %d", now-before, len(kept))
	}
	m.giveBack()
}
