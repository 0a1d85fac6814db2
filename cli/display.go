package cli

import "github.com/fermata-dev/fermata/cli/console"

// display shows a chat: a screen that is written line by line, or a console with an input line at the
// bottom.
type display interface {
	text(text string) // adds to the streaming answer
	line(format string, args ...any)
	dim(format string, args ...any)
	ask(question string) // "" removes it
	pass(text string)    // shows the current activity
	took(text string)    // shows what the person typed
	end()                // of the answer
}

// onConsole adapts a console to display.
type onConsole struct{ *console.Console }

func (d onConsole) text(text string)                { d.Text(text) }
func (d onConsole) line(format string, args ...any) { d.Line(format, args...) }
func (d onConsole) dim(format string, args ...any)  { d.Dim(format, args...) }
func (d onConsole) ask(question string)             { d.Ask(question) }
func (d onConsole) pass(text string)                { d.Pass(text) }
func (d onConsole) took(text string)                { d.Took(text) }
func (d onConsole) end()                            { d.End() }
