package cli

import (
	"slices"
	"testing"
)

func TestHelpIsFoundWhereverItIsLookedFor(t *testing.T) {
	for _, c := range []struct{ asked, means []string }{
		{nil, []string{"--help"}},
		{[]string{"help"}, []string{"--help"}},
		{[]string{"help", "chat"}, []string{"chat", "--help"}},
		{[]string{"chat", "-m", "help"}, []string{"chat", "-m", "help"}},
	} {
		if got := orHelp(c.asked); !slices.Equal(got, c.means) {
			t.Errorf("%v means %v, not %v", c.asked, got, c.means)
		}
	}
}

func TestADumbTerminalGetsNoEscapes(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		kind     string
		want     bool
	}{{true, "xterm-256color", true}, {true, "dumb", false}, {false, "xterm", false}, {true, "", true}} {
		if got := movesCursor(c.terminal, c.kind); got != c.want {
			t.Errorf("terminal %v of kind %q: %v", c.terminal, c.kind, got)
		}
	}
}
