package picture

import (
	"context"
	"slices"
	"sync"
)

// maxReaders is how many pictures are decoded at a time.
const maxReaders = 2

// Reader decodes a few pictures at a time, one of each owner: whoever sends many waits for their own, and
// others for one of theirs at most.
type Reader struct {
	mu      sync.Mutex
	owners  map[string]bool // whose picture is being decoded
	memory  int64           // that the decoders take
	waiting []*place        // first come, first served; an owner who was served is behind all others
}

// place is what one picture takes.
type place struct {
	owner  string
	memory int64
	ready  chan struct{} // closed when it is given
}

// NewReader makes a Reader.
func NewReader() *Reader { return &Reader{owners: map[string]bool{}} }

// enter waits for a place; done gives it back.
func (r *Reader) enter(ctx context.Context, owner string, memory int64) (done func(), err error) {
	p := &place{owner, memory, make(chan struct{})}
	r.mu.Lock()
	r.waiting = append(r.waiting, p)
	r.next()
	r.mu.Unlock()
	select {
	case <-p.ready:
		return func() { r.leave(p) }, nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	i := slices.Index(r.waiting, p)
	if i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		r.next() // those behind may have waited for its memory
	}
	r.mu.Unlock()
	if i < 0 { // given at the last moment
		r.leave(p)
	}
	return nil, context.Cause(ctx)
}

func (r *Reader) leave(p *place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.owners, p.owner)
	r.memory -= p.memory
	r.next()
}

// next gives the free places to those who may have them. A large picture waits for the memory, and those
// behind it for their turn. The caller holds the lock.
func (r *Reader) next() {
	for i := 0; i < len(r.waiting) && len(r.owners) < maxReaders; {
		p := r.waiting[i]
		if r.owners[p.owner] {
			i++
			continue
		}
		if r.memory > 0 && r.memory+p.memory > maxMemory {
			return
		}
		r.owners[p.owner], r.memory = true, r.memory+p.memory
		r.waiting = slices.Delete(r.waiting, i, i+1)
		slices.SortStableFunc(r.waiting, func(a, b *place) int { return compare(a.owner == p.owner, b.owner == p.owner) })
		close(p.ready)
		i = 0
	}
}

// compare puts false before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
