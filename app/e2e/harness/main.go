package harness

import (
	"fmt"
	"os"
	"testing"

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
