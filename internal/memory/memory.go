package memory

import (
	"context"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"time"

	"github.com/fermata-dev/fermata/internal/lifecycle"
)

const (
	// lookAtMemory is the interval between checks whether the process has become idle.
	lookAtMemory = 30 * time.Second
	// fewBytes is what an idle process allocates in that time.
	fewBytes = 4 << 20
	// manyBytes is the least allocation after which memory is worth returning.
	manyBytes = 16 << 20
)

// process returns memory to the operating system after load, once the process has become idle. The
// runtime does so only partly: it keeps what its next collection would let the heap grow to, and
// pools survive two collections, which an idle process makes minutes apart. Under load it does
// nothing, so nothing gets slower.
type process struct {
	allocated func() uint64 // bytes, since the process started
	giveBack  func()

	seen  uint64 // at the last check
	given uint64 // when memory was returned last
}

// look returns memory at the first idle check after a period of work.
func (m *process) look() {
	now := m.allocated()
	quiet := now-m.seen < fewBytes
	m.seen = now
	if quiet && now-m.given > manyBytes {
		m.giveBack()
		m.given = now
	}
}

func (m *process) service() lifecycle.Service {
	return lifecycle.Every(lookAtMemory, func(context.Context) { m.look() })
}

// Service returns memory of this process after load, once the process has become idle.
func Service() lifecycle.Service { return thisProcess().service() }

func thisProcess() *process {
	sample := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	return &process{
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
