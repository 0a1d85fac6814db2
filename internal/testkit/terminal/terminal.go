// Package terminal is a terminal for tests: a real pseudo-terminal with simulated key presses, and an emulator
// for the visible content.
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

// patience bounds the wait for visible content, on a busy machine.
const patience = 30 * time.Second

// Terminal is a terminal; the program under test uses TTY.
type Terminal struct {
	TTY *os.File
	// Done, if set, reports whether the program has ended, while the test waits for content.
	Done func() (err error, ended bool)

	t        testing.TB
	keyboard *os.File
	screen   vt10x.Terminal
	before   *term.State

	mu      sync.Mutex
	written strings.Builder
}

// Open opens a terminal of the given size.
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

// withoutKeyboards filters requests for another keyboard protocol. A terminal that does not support it ignores
// them; the emulator mistakes them for restoring the cursor.
type withoutKeyboards struct {
	to   io.Writer
	held []byte // a possible beginning of such a request
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

// Write records what is written to the terminal.
func (s *Terminal) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.Write(b)
}

// Written is everything written to the terminal, byte for byte.
func (s *Terminal) Written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.String()
}

// Title is the terminal's title.
func (s *Terminal) Title() string { return s.screen.Title() }

// Press presses keys.
func (s *Terminal) Press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keyboard, keys); err != nil {
		s.t.Fatal(err)
	}
}

// Rows are the visible rows, without the empty ones at the bottom.
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

// Shows waits until the last rows are the given ones.
func (s *Terminal) Shows(last ...string) {
	s.t.Helper()
	want := strings.TrimRight(strings.Join(last, "\n"), " ")
	s.until("at the end\n"+want, func(got string) bool { return got == want || strings.HasSuffix(got, "\n"+want) })
}

// Has waits until the terminal shows the given texts, in order.
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

// Restored checks whether a program that has ended restored the terminal.
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
			s.t.Fatal("bracketed paste is still on")
		case <-time.After(2 * time.Millisecond):
		}
	}
}
