package doors

import (
	"fmt"
	"os"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/cli"
	"github.com/fermata-dev/fermata/cli/command"
)

// programVariable makes the test binary the command line: editors start a program.
const programVariable = "FERMATA_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) == "" {
		harness.MainOrChild(m, &harness.Serving{})
		return
	}
	if err := harness.CommandLine(cli.Process("dev", "test"), os.Args[1:]...); err != nil {
		fmt.Fprintln(os.Stderr, "fermata:", err)
		os.Exit(command.ExitCode(err))
	}
}

// server is the server of a story, with what this theme asks of it.
type server struct{ *harness.Server }

func newServer(t testing.TB, db app.Database, change ...func(*app.Config)) *server {
	t.Helper()
	return &server{harness.NewServer(t, db, change...)}
}

// self is the test binary, which is the command line where programVariable is set.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
