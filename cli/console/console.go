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

// Config is what a console is made of.
type Config struct {
	In     io.Reader
	Out    io.Writer
	Colour bool
	// History is what was typed before; nil: none, and none is kept.
	History *History
	// Pressed gets Ctrl-C. It has room for one.
	Pressed chan<- os.Signal
}

// Typed is what a person sent off with the Enter key.
type Typed struct {
	Text string
	// Question is the number of the question that stood above the input; 0: none did.
	Question int
}

// mostTyped is how much may be sent off before it is taken; then it stays in the input.
const mostTyped = 64

// Console is used by one goroutine; what is typed comes to another one.
type Console struct {
	in      io.Reader
	out     io.Writer
	options []tea.ProgramOption
	model   *model
	program *tea.Program
	settled <-chan time.Time // of the program
	lent    chan struct{}    // the terminal was given back, to be lent
	typed   chan Typed
	done    chan struct{} // the terminal was given back for good
	err     error         // of the program, once done is closed
	size    *size
	answer  *markdown // that streams
	held    []string  // lines that came in the middle of a part of it
}

// Open takes the terminal. Whoever opened a console closes it, or the terminal stays as it is.
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

// Typed hands on what is typed. It is closed when there is nobody who types any more.
func (c *Console) Typed() <-chan Typed { return c.typed }

// Close gives the terminal back. What was typed and not sent off is forgotten.
func (c *Console) Close() error {
	c.End()
	c.program.Send(closing{})
	<-c.done
	if c.err != nil {
		return fmt.Errorf("work the terminal: %w", c.err)
	}
	return nil
}

// Text adds to the answer that streams: Markdown. A part that is whole moves above the
// input for good; the rest is shown as it is, and changes.
func (c *Console) Text(text string) {
	c.answer.add(clean(text))
	for block := c.answer.whole(); block != ""; block = c.answer.whole() {
		c.print(c.answer.render(block) + "\n")
		c.release()
	}
	c.program.Send(live(c.answer.rest))
}

// End ends the answer that streams.
func (c *Console) End() {
	if rest := c.answer.take(); strings.TrimSpace(rest) != "" {
		c.print(c.answer.render(rest) + "\n")
	}
	c.release()
	c.program.Send(live(""))
}

// Line shows a line of its own above the input.
func (c *Console) Line(format string, args ...any) { c.add(clean(fmt.Sprintf(format, args...))) }

// Dim is Line, for what matters less.
func (c *Console) Dim(format string, args ...any) {
	c.add("\x1b[2m" + clean(fmt.Sprintf(format, args...)) + "\x1b[22m")
}

// Took shows what was typed above the input, where it stays.
func (c *Console) Took(text string) {
	c.add("\x1b[1m> " + strings.ReplaceAll(clean(text), "\n", "\n  ") + "\x1b[22m")
}

// add writes lines above the input. A part of an answer that comes in is not torn: they wait
// below it until it is whole.
func (c *Console) add(lines string) {
	if strings.TrimSpace(c.answer.rest) == "" {
		c.End()
		c.print(lines)
		return
	}
	c.held = append(c.held, lines)
	c.program.Send(held(strings.Join(c.held, "\n")))
}

// release writes what waited for a part of the answer.
func (c *Console) release() {
	if len(c.held) > 0 {
		c.print(strings.Join(c.held, "\n"))
		c.held = nil
		c.program.Send(held(""))
	}
}

// Ask shows a question at the input, until something is typed; "" takes it away. What is
// being typed is kept aside meanwhile.
func (c *Console) Ask(question string) {
	c.End()
	c.program.Send(ask(clean(question)))
}

// Pass shows what goes on, until it is over.
func (c *Console) Pass(text string) { c.program.Send(pass(clean(text))) }

// GiveBack puts a text into the input again, or behind what stands there.
func (c *Console) GiveBack(text string) { c.program.Send(giveBack(text)) }

// print writes above the input, for good. A terminal moves its lower lines by as many as
// are written above them, so that only some fit at a time.
func (c *Console) print(text string) {
	width, height := c.size.get()
	lines := strings.Split(ansi.Wrap(text, max(width-1, 1), ""), "\n")
	for len(lines) > 0 {
		n := min(len(lines), max(height/4, 1))
		part := strings.Join(lines[:n], "\n") + "\x1b[0m" // nothing at all would not be a line
		c.program.Send(tea.Println(part)())
		lines = lines[n:]
	}
}

// clean shows control characters as escapes, and ends lines as here.
func clean(text string) string { return api.Printable(strings.ReplaceAll(text, "\r\n", "\n")) }
