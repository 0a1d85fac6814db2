package console

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// errClosed: there is no terminal any more.
var errClosed = errors.New("the terminal is closed")

// settling is how long a terminal has to answer what it was asked when the console began, before
// another program reads the keys: it would take the answers for something typed.
const settling = 200 * time.Millisecond

// begin runs a program of the model's at the terminal, until that has to be given back, and waits for
// its foot: what is written above it before it stands there is written over what the terminal shows.
func (c *Console) begin() {
	foot := &foot{Writer: c.out, drawn: make(chan struct{})}
	c.program = tea.NewProgram(c.model, append(c.options, tea.WithOutput(foot.output()))...)
	c.settled = time.After(settling)
	go c.run(c.program)
	select {
	case <-foot.drawn:
	case <-c.done:
	}
}

func (c *Console) run(program *tea.Program) {
	_, err := program.Run()
	if err == nil && c.model.lent && !c.model.over {
		c.lent <- struct{}{}
		return
	}
	c.err = err
	close(c.typed)
	close(c.done)
}

// Lend gives the terminal to another program until that ends, and takes it back: what stood at the
// foot stands there again.
//
// The library has a call for this. With a program that ends at once it may stop the clock by which it
// draws, for good, and it measures the terminal in a goroutine that meets the next one; so a program
// of its own begins afterwards.
func (c *Console) Lend(cmd *exec.Cmd) error {
	c.End()
	select {
	case <-c.settled:
	case <-c.done:
		return errClosed
	}
	c.program.Send(lend{})
	select {
	case <-c.lent:
	case <-c.done:
		return errClosed
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, os.Stderr
	err := cmd.Run()
	c.model.lent = false
	c.begin()
	return err
}

// foot is an output that tells when the first picture of a program was written to it.
type foot struct {
	io.Writer
	once  sync.Once
	drawn chan struct{}
}

// footOfTerminal is one that is a terminal, which the library asks for its size.
type footOfTerminal struct {
	term.File
	foot *foot
}

func (f *foot) output() io.Writer {
	if file, ok := f.Writer.(term.File); ok {
		return &footOfTerminal{File: file, foot: f}
	}
	return f
}

func (f *footOfTerminal) Write(b []byte) (int, error) { return f.foot.Write(b) }

// Write looks for what every first picture has in it: from now on what is pasted is marked.
func (f *foot) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	if bytes.Contains(b, []byte(ansi.SetModeBracketedPaste)) {
		f.once.Do(func() { close(f.drawn) })
	}
	return n, err
}
