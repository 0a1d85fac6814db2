package harness

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// Process is the server as a process of its own, which can be killed: the test's own binary,
// whose TestMain is MainOrChild.
type Process struct {
	T     testing.TB
	URL   string
	Kills int // how often it was killed

	db  app.Database
	cmd *exec.Cmd
}

// NewProcess starts it on a database.
func NewProcess(t testing.TB, db app.Database) *Process {
	t.Helper()
	p := &Process{T: t, db: db}
	p.start()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // the test is over
		_ = p.cmd.Wait()
	})
	return p
}

func (p *Process) start() {
	p.T.Helper()
	self, err := os.Executable()
	if err != nil {
		p.T.Fatal(err)
	}
	p.cmd = exec.Command(self, "serve", "--listen=127.0.0.1:0", "--data-dir="+p.db.DataDir)
	p.cmd.Env = append(Child(), "FERMATA_DATABASE_URL="+p.db.DatabaseURL, "FERMATA_NODE_ID=test", "FERMATA_SHUTDOWN_GRACE=1s")
	log, err := p.cmd.StderrPipe()
	if err != nil {
		p.T.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.T.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(log)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var line struct {
				URL     string `json:"url"`
				Message string `json:"message"`
			}
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "Fermata is ready" {
				ready <- line.URL
			}
		}
	}()
	select {
	case p.URL = <-ready:
	case <-time.After(Patience):
		p.T.Fatal("the server does not start")
	}
}

// Client is the server as a client sees it that holds every answer against the contract, until
// it is killed.
func (p *Process) Client() *Server {
	return &Server{T: p.T, URL: p.URL, client: &http.Client{Transport: testkit.Contract(p.T, p.URL), Timeout: 30 * time.Second}}
}

// Die ends the process with SIGKILL.
func (p *Process) Die() { _ = p.cmd.Process.Kill() }

// Kill ends the process with SIGKILL, and starts another one on the same data.
func (p *Process) Kill() {
	p.T.Helper()
	p.Die()
	_ = p.cmd.Wait()
	p.Kills++
	p.start()
}

// Child is the environment in which a test's own binary is the command line of its TestMain.
func Child() []string { return append(os.Environ(), childVariable+"=1") }
