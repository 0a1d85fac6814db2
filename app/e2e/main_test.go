package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestMain lets the test binary be the server too: tests that kill a server start
// this binary again, with childVariable set, as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(serveAsChild(os.Args[1:]))
	}
	if told := os.Getenv(floodVariable); told != "" {
		os.Exit(floodAsChild(told))
	}
	code := m.Run()
	if err := testkit.StopPostgres(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}
