package harness

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Typed carries out what a person types, on this server and with the server's key. It
// gives what was written to standard output, and beside it.
func (s *Server) Typed(stdin string, args ...string) (out, beside string, err error) {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(s.T.Context(), 20*time.Second)
	defer cancel()
	var written, errors strings.Builder
	args = append(args, "--url="+s.URL)
	if s.Key != "" {
		args = append(args, "--key="+s.Key)
	}
	err = CommandLine(&command.Context{
		Context: ctx, Version: "dev", In: strings.NewReader(stdin), Out: &written, Errors: &errors, Clock: clock.System,
	}, args...)
	return written.String(), errors.String(), err
}

// CommandLine carries out what a program is started with.
func CommandLine(cc *command.Context, args ...string) error {
	return cli.Run(&struct {
		cli.Commands `embed:""`
		Keys         cli.KeysCommand `cmd:""`
	}{}, args, cc)
}

// Types is typed for what succeeds.
func (s *Server) Types(stdin string, args ...string) (out, beside string) {
	s.T.Helper()
	out, beside, err := s.Typed(stdin, args...)
	if err != nil {
		s.T.Fatalf("fermata %s: %v", strings.Join(args, " "), err)
	}
	return out, beside
}

// Wants looks for parts of a text, in their order.
func Wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	from := 0
	for _, part := range parts {
		i := strings.Index(got[from:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or not in its place, in:\n%s", part, got)
		}
		from += i + len(part)
	}
}
