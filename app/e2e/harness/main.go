package harness

import (
	"fmt"
	"os"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/cli"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// Main runs the tests of a package, then stops the PostgreSQL that they started.
func Main(m *testing.M) {
	code := m.Run()
	if err := testkit.StopPostgres(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// childVariable makes a test's own binary a server, which the test may kill.
const childVariable = "FERMATA_TEST_CHILD"

// MainOrChild is Main, and in a process that NewProcess or Child has started it carries out the
// command line instead, of which line is the definition.
func MainOrChild(m *testing.M, line any) {
	if os.Getenv(childVariable) == "" {
		Main(m)
		return
	}
	if err := cli.Run(line, os.Args[1:], cli.Process("dev", "test")); err != nil {
		fmt.Fprintln(os.Stderr, "fermata:", err)
		os.Exit(command.ExitCode(err))
	}
	os.Exit(0)
}

// Serving is a command line that only serves.
type Serving struct {
	Serve serve `cmd:""`
}

type serve struct {
	app.Config `embed:""`
}

// Run serves until the process ends.
func (c *serve) Run() error { return app.Serve(c.Config) }
