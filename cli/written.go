package cli

import (
	"fmt"
	"io"
)

// written is where a command prints. It remembers that something could not be written: much of what is
// printed line by line is printed without a look at whether it went well, and who keeps a list, a key or
// the contract in a file on a full disk has to be told that it is not whole.
type written struct {
	to  io.Writer
	err error
}

// Write writes nothing behind what is missing.
func (w *written) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.to.Write(b)
	w.err = err
	return n, err //nolint:wrapcheck // who prints says what
}

// whole is how a command ended, of which err is known: one that printed less than it had to say has
// failed. What the server had against it goes first.
func (w *written) whole(err error) error {
	if w.err == nil || ExitCode(err) > exitFailed {
		return err
	}
	return fmt.Errorf("not all of the output could be written: %w", w.err)
}
