package conversation

import (
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// server is the server of a story, with what this theme asks of it.
type server struct{ *harness.Server }

func newServer(t testing.TB, db app.Database, change ...func(*app.Config)) *server {
	t.Helper()
	return &server{harness.NewServer(t, db, change...)}
}
