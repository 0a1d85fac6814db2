package cli

import (
	"testing"

	"github.com/fermata-dev/fermata/cli/command"
)

func TestAnInvalidCommandLineHasItsExitCode(t *testing.T) {
	for _, args := range [][]string{{"sessions", "--no-such-flag"}, {"nonsense"}, {"sessions", "--status=none"}, {"webhooks", "replay", "whk_1"}} {
		err := Run(&struct{ Commands }{}, args, &command.Context{})
		if got := command.ExitCode(err); got != command.ExitMisused {
			t.Errorf("%v: %v, exit code %d", args, err, got)
		}
	}
}
