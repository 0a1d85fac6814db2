// Package terminal is a terminal for tests: a real pseudo-terminal, keys that are pressed in
// it, and an emulator that is asked what a person sees.
package terminal

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// patience is how long something may take to be seen, on a machine that does much else.
const patience = 30 * time.Second

// Terminal is one, with a program at TTY.
type Terminal struct {
	TTY *os.File
	// Done, if set, is asked whether the program has ended, while something is waited for.
	Done func() (err error, ended bool)

	t        testing.TB
	keyboard *os.File
	screen   vt10x.Terminal
	before   *term.State

	mu      sync.Mutex
	written strings.Builder
}

// Open makes one with so many columns and rows.
func Open(t testing.TB, columns, rows int) *Terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	s := &Terminal{
		TTY: tty, t: t, keyboard: master, before: before,
		screen: vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(master)),
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		_, _ = io.Copy(io.MultiWriter(s, &withoutKeyboards{to: s.screen}), master)
	}()
	t.Cleanup(func() {
		_, _ = tty.Close(), master.Close()
		<-shown
	})
	return s
}

// withoutKeyboards leaves out what asks for another protocol of the keyboard. A terminal that does not
// know it ignores it; the emulator takes it for the way back to where the cursor was kept.
type withoutKeyboards struct {
	to   io.Writer
	held []byte // that may be the beginning of such
}

var (
	keyboards = regexp.MustCompile(`\x1b\[[<>=?][0-9;]*u`)
	begun     = regexp.MustCompile(`\x1b(\[([<>=?][0-9;]*)?)?$`)
)

func (w *withoutKeyboards) Write(b []byte) (int, error) {
	all := keyboards.ReplaceAll(append(w.held, b...), nil)
	rest := begun.FindIndex(all)
	if rest == nil {
		rest = []int{len(all)}
	}
	w.held = bytes.Clone(all[rest[0]:])
	_, err := w.to.Write(all[:rest[0]])
	return len(b), err
}

// Write keeps what is written to the terminal.
func (s *Terminal) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.Write(b)
}

// Written is all that was written to the terminal, byte for byte.
func (s *Terminal) Written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.String()
}

// Title is what the terminal was told to be called.
func (s *Terminal) Title() string { return s.screen.Title() }

// Press presses keys.
func (s *Terminal) Press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keyboard, keys); err != nil {
		s.t.Fatal(err)
	}
}

// Rows are what the terminal shows, without the empty ones at its foot.
func (s *Terminal) Rows() []string {
	rows := strings.Split(s.screen.String(), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// Shows waits until the last rows are these.
func (s *Terminal) Shows(last ...string) {
	s.t.Helper()
	want := strings.TrimRight(strings.Join(last, "\n"), " ")
	s.until("at the end\n"+want, func(got string) bool { return got == want || strings.HasSuffix(got, "\n"+want) })
}

// Has waits until the terminal shows parts of a text, in their order.
func (s *Terminal) Has(parts ...string) {
	s.t.Helper()
	s.until(strings.Join(parts, " … "), func(got string) bool {
		for _, part := range parts {
			_, after, found := strings.Cut(got, part)
			if !found {
				return false
			}
			got = after
		}
		return true
	})
}

func (s *Terminal) until(want string, holds func(string) bool) {
	s.t.Helper()
	for deadline := time.After(patience); !holds(strings.Join(s.Rows(), "\n")); {
		if s.Done != nil {
			if err, ended := s.Done(); ended {
				s.t.Fatalf("the program ended (%v); want %s\nthe terminal shows\n%s", err, want, strings.Join(s.Rows(), "\n"))
			}
		}
		select {
		case <-deadline:
			s.t.Fatalf("want %s\nthe terminal shows\n%s", want, strings.Join(s.Rows(), "\n"))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Restored looks whether a program that has ended left the terminal as it was.
func (s *Terminal) Restored() {
	s.t.Helper()
	after, err := term.GetState(s.TTY.Fd())
	if err != nil || *after != *s.before {
		s.t.Errorf("the terminal is left as %+v, it was %+v (%v)", after, s.before, err)
	}
	const marked, unmarked = "\x1b[?2004h", "\x1b[?2004l"
	over := func() bool { return strings.LastIndex(s.Written(), marked) <= strings.LastIndex(s.Written(), unmarked) }
	for deadline := time.After(patience); !over(); {
		select {
		case <-deadline:
			s.t.Fatal("what is pasted stays marked")
		case <-time.After(2 * time.Millisecond):
		}
	}
}
