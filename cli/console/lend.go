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

// errClosed: the terminal is closed.
var errClosed = errors.New("the terminal is closed")

// settling is the time for a terminal to answer the queries of the console's start, before another
// program reads the keys: it would take the answers for input.
const settling = 200 * time.Millisecond

// begin runs a new program of the model in the terminal and waits until it has drawn the input: anything
// written before that would overwrite the terminal's content.
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

// Lend releases the terminal to another program until that ends, and then restores the input.
//
// The library's function for this has two defects: with a program that ends at once it may stop its
// render timer permanently, and it measures the terminal in a goroutine that races with the next call.
// Therefore a new program of the model is started afterwards.
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

// foot is an output that reports when a program has drawn its first frame.
type foot struct {
	io.Writer
	once  sync.Once
	drawn chan struct{}
}

// footOfTerminal is a foot that is a terminal, whose size the library queries.
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

// Write looks for the sequence in every first frame: bracketed paste is switched on.
func (f *foot) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	if bytes.Contains(b, []byte(ansi.SetModeBracketedPaste)) {
		f.once.Do(func() { close(f.drawn) })
	}
	return n, err
}
