package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/cli"
	"github.com/fermata-dev/fermata/internal/clock"
)

// typed carries out what a person types, on this server and with the server's key. It
// gives what was written to standard output, and beside it.
func (s *server) typed(stdin string, args ...string) (out, beside string, err error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	var written, errors strings.Builder
	args = append(args, "--url="+s.url)
	if s.key != "" {
		args = append(args, "--key="+s.key)
	}
	err = cli.Run(&struct {
		cli.Commands `embed:""`
	}{}, args, &cli.Context{
		Context: ctx, Version: "dev", In: strings.NewReader(stdin), Out: &written, Errors: &errors, Clock: clock.System,
	})
	return written.String(), errors.String(), err
}

// types is typed for what succeeds.
func (s *server) types(stdin string, args ...string) (out, beside string) {
	s.t.Helper()
	out, beside, err := s.typed(stdin, args...)
	if err != nil {
		s.t.Fatalf("fermata %s: %v", strings.Join(args, " "), err)
	}
	return out, beside
}

// wants looks for parts of a text, in their order.
func wants(t *testing.T, got string, parts ...string) {
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
