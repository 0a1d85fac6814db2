package cli

import "github.com/fermata-dev/fermata/cli/console"

// display is what a chat is shown on: a screen that is written on from top to bottom, or a
// console, at whose foot a person types meanwhile.
type display interface {
	text(text string) // adds to the answer that streams
	line(format string, args ...any)
	dim(format string, args ...any)
	ask(question string) // "" takes it away
	pass(text string)    // what goes on
	took(text string)    // what the person typed
	end()                // of the answer
}

// onConsole is a console as a display.
type onConsole struct{ *console.Console }

func (d onConsole) text(text string)                { d.Text(text) }
func (d onConsole) line(format string, args ...any) { d.Line(format, args...) }
func (d onConsole) dim(format string, args ...any)  { d.Dim(format, args...) }
func (d onConsole) ask(question string)             { d.Ask(question) }
func (d onConsole) pass(text string)                { d.Pass(text) }
func (d onConsole) took(text string)                { d.Took(text) }
func (d onConsole) end()                            { d.End() }
