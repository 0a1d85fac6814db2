package load

import (
	"fmt"
	"os"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestMain lets the test binary be the floor and the model too: a benchmark that weighs
// processes starts this binary again, with roleVariable set.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		fmt.Fprintln(os.Stderr, playRole(role))
		os.Exit(1)
	}
	harness.Main(m)
}

// server is the server of a story, with what this theme asks of it.
type server struct{ *harness.Server }

func newServer(t testing.TB, db app.Database, change ...func(*app.Config)) *server {
	t.Helper()
	return &server{harness.NewServer(t, db, change...)}
}
