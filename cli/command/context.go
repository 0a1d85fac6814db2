package command

import (
	"context"
	"io"
	"os"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// Context is the environment of a command: its input and output, clock and signals.
type Context struct {
	context.Context
	Version     string // of this program
	Commit      string
	In          io.Reader
	Out         io.Writer
	Errors      io.Writer
	Clock       clock.Clock
	Interactive bool // the input is a terminal: questions can be asked
	Terminal    bool // the output is a terminal: the cursor can be moved
	Colour      bool
	Signals     <-chan os.Signal    // Ctrl-C, for commands that handle it themselves
	Variables   []diagnosis.Finding // about the environment's FERMATA_ variables
}
