package console

import "sync/atomic"

// size is that of the terminal: told by it, asked for by who prints.
type size struct{ width, height atomic.Int32 }

// set takes what the terminal says. One that does not know (0) has the usual size.
func (s *size) set(width, height int) {
	if width > 0 {
		s.width.Store(int32(min(width, 10_000)))
	}
	if height > 0 {
		s.height.Store(int32(min(height, 10_000)))
	}
}

func (s *size) get() (width, height int) { return int(s.width.Load()), int(s.height.Load()) }
