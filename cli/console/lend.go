package console

import (
	"errors"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// errClosed: there is no terminal any more.
var errClosed = errors.New("the terminal is closed")

// Lend gives the terminal to another program until that ends, and takes it back: what stood at the
// foot stands there again.
func (c *Console) Lend(cmd *exec.Cmd) error {
	c.End()
	ended := make(chan error, 1)
	c.program.Send(tea.ExecProcess(cmd, func(err error) tea.Msg {
		ended <- err
		return nil
	})())
	select {
	case err := <-ended:
		return err
	case <-c.done:
		return errClosed
	}
}
