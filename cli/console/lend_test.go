//go:build unix

package console

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/fermata-dev/fermata/internal/testkit/terminal"
)

// A terminal is lent time after time, as when an editor leaves what cannot be read, to programs that end
// at once: the foot is drawn again each time, and the race detector sees nothing.
func TestLentTimeAfterTime(t *testing.T) {
	screen := terminal.Open(t, 80, 24)
	if _, err := screen.TTY.WriteString("what stood there\n"); err != nil {
		t.Fatal(err)
	}
	c := Open(Config{In: screen.TTY, Out: screen.TTY, Pressed: make(chan<- os.Signal, 1)})
	c.Line("the first line")
	screen.Shows("what stood there", "the first line", ">")
	last := "the first line"
	for n := range 10 {
		if err := c.Lend(exec.CommandContext(t.Context(), "true")); err != nil {
			t.Fatal(err)
		}
		c.Line("back %d", n)
		screen.Shows(last, fmt.Sprintf("back %d", n), ">")
		last = fmt.Sprintf("back %d", n)
	}
	if err := c.Lend(exec.CommandContext(t.Context(), "false")); err == nil {
		t.Error("the failure of a program is not reported")
	}
	if err := c.Lend(exec.CommandContext(t.Context(), "no such editor")); err == nil {
		t.Error("a missing program is not reported")
	}
	screen.Press("still")
	screen.Shows("> still")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	screen.Restored()
	if err := c.Lend(exec.CommandContext(t.Context(), "true")); err == nil {
		t.Error("a terminal that is closed is lent")
	}
}
