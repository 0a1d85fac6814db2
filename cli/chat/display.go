package chat

import (
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/console"
)

// display shows a chat: a screen that is written line by line, or a console with an input line at the
// bottom.
type display interface {
	Text(text string) // adds to the streaming answer
	Line(format string, args ...any)
	Dim(format string, args ...any)
	Ask(question string) // "" removes it
	Pass(text string)    // shows the current activity
	Took(text string)    // shows what the person typed
	End()                // of the answer
}

var (
	_ display = (*command.Screen)(nil)
	_ display = (*console.Console)(nil)
)
