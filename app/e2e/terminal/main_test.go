//go:build unix

// Package terminal tells stories of people who talk in a terminal.
package terminal

import (
	"os"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/cli"
)

// childVariable makes this test binary a server.
const childVariable = "FERMATA_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		harness.Main(m)
		return
	}
	line := struct {
		cli.Commands `embed:""`
		Serve        serve `cmd:""`
	}{}
	if err := cli.Run(&line, os.Args[1:], cli.Process("dev", "unknown")); err != nil {
		os.Stderr.WriteString("fermata: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// serve is the command that serves, in a process that a test may kill.
type serve struct {
	app.Config `embed:""`
}

// Run serves until the process ends.
func (c *serve) Run() error { return app.Serve(c.Config) }
