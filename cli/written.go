package cli

import (
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/cli/command"
)

// written is the output of a command. It records write errors, since most of the output is printed without
// checking them: with a full disk, the command that writes a list, a key or the contract to a file must
// report that it is incomplete.
type written struct {
	to  io.Writer
	err error
}

// Write writes nothing after the first error.
func (w *written) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.to.Write(b)
	w.err = err
	return n, err //nolint:wrapcheck // the caller says what was printed
}

// whole returns the result of a command that ended with err: incomplete output is a failure. An error of
// the server takes precedence.
func (w *written) whole(err error) error {
	if w.err == nil || command.ExitCode(err) > command.ExitFailed {
		return err
	}
	return fmt.Errorf("the output could not be written completely: %w", w.err)
}
