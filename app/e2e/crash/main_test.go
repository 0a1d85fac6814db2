package crash

import (
	"os"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestMain lets the test binary be the server too: tests that kill a server start
// this binary again, with childVariable set, as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(serveAsChild(os.Args[1:]))
	}
	if summary := os.Getenv(floodVariable); summary != "" {
		os.Exit(floodAsChild(summary))
	}
	if summary := os.Getenv(clientVariable); summary != "" {
		os.Exit(clientAsChild(summary))
	}
	harness.Main(m)
}
