package app

import (
	"context"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"time"

	"github.com/fermata-dev/fermata/internal/lifecycle"
)

const (
	// lookAtMemory is how often it is looked whether the process has become quiet.
	lookAtMemory = 30 * time.Second
	// fewBytes is what a process allocates in that time that has nothing to do.
	fewBytes = 4 << 20
	// manyBytes is what must have been allocated for anything to be worth giving back.
	manyBytes = 16 << 20
)

// memory gives back to the system what load has left behind, once the process has become
// quiet. The runtime does so too, but only by halves: it keeps what its next collection
// would let the heap grow to, and pools survive two collections, which an idle process
// makes minutes apart. Under load it does nothing, so nothing gets slower.
type memory struct {
	allocated func() uint64 // bytes, since the process began
	giveBack  func()

	seen  uint64 // at the last look
	given uint64 // when memory was given back last
}

// look gives memory back at the first quiet look after a time with work.
func (m *memory) look() {
	now := m.allocated()
	quiet := now-m.seen < fewBytes
	m.seen = now
	if quiet && now-m.given > manyBytes {
		m.giveBack()
		m.given = now
	}
}

func (m *memory) service() lifecycle.Service {
	return every(lookAtMemory, func(context.Context) { m.look() })
}

// processMemory is the memory of this process.
func processMemory() *memory {
	sample := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	return &memory{
		allocated: func() uint64 {
			runtimemetrics.Read(sample)
			return sample[0].Value.Uint64()
		},
		giveBack: func() {
			runtime.GC() // empties one half of the pools, the next one the other
			debug.FreeOSMemory()
		},
	}
}
