package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/fermata-dev/fermata/api"
)

// Config configures a console.
type Config struct {
	In     io.Reader
	Out    io.Writer
	Colour bool
	// History is the input history; nil: none.
	History *History
	// Pressed receives Ctrl-C. Its capacity is one.
	Pressed chan<- os.Signal
}

// Typed is a text that was sent with the Enter key.
type Typed struct {
	Text string
	// Question is the number of the question displayed above the input; 0: none.
	Question int
}

// mostTyped is the number of texts that may be sent before they are received; more stay in the input.
const mostTyped = 64

// Console is used by one goroutine; another one receives the input.
type Console struct {
	in      io.Reader
	out     io.Writer
	options []tea.ProgramOption
	model   *model
	program *tea.Program
	settled <-chan time.Time // the terminal has answered the program's queries
	lent    chan struct{}    // closed when the terminal was released to be lent
	typed   chan Typed
	done    chan struct{} // closed when the terminal was released finally
	err     error         // of the program, once done is closed
	size    *size
	answer  *markdown // the streaming answer
	held    []string  // lines that arrived within a part of it
}

// Open takes over the terminal. The caller must call Close to restore it.
func Open(config Config) *Console {
	c := &Console{in: config.In, out: config.Out, size: &size{},
		lent: make(chan struct{}), typed: make(chan Typed, mostTyped), done: make(chan struct{})}
	c.size.set(80, 24)
	if f, ok := config.Out.(term.File); ok {
		if width, height, err := term.GetSize(f.Fd()); err == nil {
			c.size.set(width, height)
		}
	}
	profile := colorprofile.Detect(config.Out, os.Environ())
	if !config.Colour {
		profile = min(profile, colorprofile.ASCII) // bold, but no colour
	}
	c.answer = &markdown{size: c.size, profile: profile}
	c.model = newModel(c, config)
	c.options = []tea.ProgramOption{tea.WithInput(config.In),
		tea.WithColorProfile(profile), tea.WithoutSignalHandler()}
	c.begin()
	return c
}

// Typed returns the input. It is closed at the end of the input.
func (c *Console) Typed() <-chan Typed { return c.typed }

// Close restores the terminal. Unsent input is discarded.
func (c *Console) Close() error {
	c.End()
	c.program.Send(closing{})
	<-c.done
	if c.err != nil {
		return fmt.Errorf("run the terminal: %w", c.err)
	}
	return nil
}

// Text adds to the streaming answer, in Markdown. A complete part moves above the input permanently; the
// rest is displayed as it is, and changes.
func (c *Console) Text(text string) {
	c.answer.add(clean(text))
	for block := c.answer.whole(); block != ""; block = c.answer.whole() {
		c.print(c.answer.render(block) + "\n")
		c.release()
	}
	c.program.Send(live(c.answer.rest))
}

// End ends the streaming answer.
func (c *Console) End() {
	if rest := c.answer.take(); strings.TrimSpace(rest) != "" {
		c.print(c.answer.render(rest) + "\n")
	}
	c.release()
	c.program.Send(live(""))
}

// Line displays a line above the input.
func (c *Console) Line(format string, args ...any) { c.add(clean(fmt.Sprintf(format, args...))) }

// Dim is Line, for less important text.
func (c *Console) Dim(format string, args ...any) {
	c.add("\x1b[2m" + clean(fmt.Sprintf(format, args...)) + "\x1b[22m")
}

// Took displays the input that was sent, above the input line.
func (c *Console) Took(text string) {
	c.add("\x1b[1m> " + strings.ReplaceAll(clean(text), "\n", "\n  ") + "\x1b[22m")
}

// add writes lines above the input. A part of an answer is not interrupted: the lines wait below it until
// it is complete.
func (c *Console) add(lines string) {
	if strings.TrimSpace(c.answer.rest) == "" {
		c.End()
		c.print(lines)
		return
	}
	c.held = append(c.held, lines)
	c.program.Send(held(strings.Join(c.held, "\n")))
}

// release writes the lines that waited for a part of the answer.
func (c *Console) release() {
	if len(c.held) > 0 {
		c.print(strings.Join(c.held, "\n"))
		c.held = nil
		c.program.Send(held(""))
	}
}

// Ask displays a question at the input, until it is answered; "" removes it. Unfinished input is restored
// afterwards.
func (c *Console) Ask(question string) {
	c.End()
	c.program.Send(ask(clean(question)))
}

// Pass displays the current activity.
func (c *Console) Pass(text string) { c.program.Send(pass(clean(text))) }

// GiveBack restores a text in the input, after any text that is there.
func (c *Console) GiveBack(text string) { c.program.Send(giveBack(text)) }

// print writes above the input permanently. A terminal scrolls by as many lines as are written, so only
// some fit at a time.
func (c *Console) print(text string) {
	width, height := c.size.get()
	lines := strings.Split(ansi.Wrap(text, max(width-1, 1), ""), "\n")
	for len(lines) > 0 {
		n := min(len(lines), max(height/4, 1))
		part := strings.Join(lines[:n], "\n") + "\x1b[0m" // an empty text would not be printed as a line
		c.program.Send(tea.Println(part)())
		lines = lines[n:]
	}
}

// clean escapes control characters, and normalises line endings.
func clean(text string) string { return api.Printable(strings.ReplaceAll(text, "\r\n", "\n")) }
