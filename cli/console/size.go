package console

import "sync/atomic"

// size is the size of the terminal, set by its events and read when printing.
type size struct{ width, height atomic.Int32 }

// set stores the size. A terminal that does not know it (0) gets the usual one.
func (s *size) set(width, height int) {
	if width > 0 {
		s.width.Store(int32(min(width, 10_000)))
	}
	if height > 0 {
		s.height.Store(int32(min(height, 10_000)))
	}
}

func (s *size) get() (width, height int) { return int(s.width.Load()), int(s.height.Load()) }
