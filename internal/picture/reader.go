package picture

import (
	"context"
	"slices"
	"sync"
)

// maxReaders is the number of pictures decoded concurrently.
const maxReaders = 2

// Reader decodes a few pictures at a time, at most one per owner: an owner with many pictures waits for
// their own, and delays others by at most one.
type Reader struct {
	mu      sync.Mutex
	owners  map[string]bool // owners whose picture is being decoded
	memory  int64           // in use by the decoders
	waiting []*place        // in order of arrival; an owner who was served goes behind all others
}

// place is the reservation of one picture.
type place struct {
	owner  string
	memory int64
	ready  chan struct{} // closed when the reservation is granted
}

// NewReader creates a Reader.
func NewReader() *Reader { return &Reader{owners: map[string]bool{}} }

// enter waits for a place; done releases it.
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
		r.next() // others may have waited for its memory
	}
	r.mu.Unlock()
	if i < 0 { // granted at the last moment
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

// next grants the free places. A large picture waits for its memory, and those behind it wait too. The
// caller holds the lock.
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

// compare orders false before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
