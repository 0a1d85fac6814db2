package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

const (
	// roleVariable makes this test binary the floor or the model.
	roleVariable = "FERMATA_LOAD_ROLE"
	// serverVariable names a binary of the server to measure instead of the one that is
	// built from these sources.
	serverVariable = "FERMATA_BENCH_SERVER"
)

// program is a process of its own: the server, the floor or the model.
type program struct {
	url string
	pid int
}

// startProgram starts a program and waits until its log says that it is ready, and where.
func startProgram(b *testing.B, name string, env []string, command ...string) *program {
	b.Helper()
	log, err := os.Create(filepath.Join(b.TempDir(), name+".log"))
	harness.Must(b, err)
	defer log.Close()
	// The shell ends the program when its standard input ends: a benchmark that is killed
	// leaves nothing running.
	cmd := exec.Command("/bin/sh", append([]string{"-c", `"$0" "$@" >&2 & pid=$!; echo $pid; read -r _; kill -TERM $pid; wait $pid`}, command...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "FERMATA_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	harness.Must(b, err)
	out, err := cmd.StdoutPipe()
	harness.Must(b, err)
	harness.Must(b, cmd.Start())
	p := &program{}
	_, err = fmt.Fscanln(out, &p.pid)
	harness.Must(b, err)
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it was stopped; its exit status does not matter
	})
	testkit.Until(b, "the "+name+" to be ready", func() bool {
		written, err := os.ReadFile(log.Name())
		harness.Must(b, err)
		for line := range bytes.Lines(written) {
			var ready struct{ Message, URL string }
			if json.Unmarshal(line, &ready) == nil && ready.URL != "" && strings.HasSuffix(ready.Message, "is ready") {
				p.url = ready.URL
			}
		}
		return p.url != ""
	})
	return p
}

// startRole starts this test binary as the floor or the model.
func startRole(b *testing.B, role string, env ...string) *program {
	b.Helper()
	self, err := os.Executable()
	harness.Must(b, err)
	return startProgram(b, role, append(env, roleVariable+"="+role), self)
}

// playRole serves on a free port until the process ends.
func playRole(role string) error {
	var handler http.Handler
	switch role {
	case "model":
		handler = newModel()
	case "floor":
		f, err := openFloor(context.Background(), app.Database{DataDir: os.Getenv("FERMATA_DATA_DIR"), DatabaseURL: os.Getenv("FERMATA_DATABASE_URL")},
			os.Getenv("FERMATA_LOAD_MODEL"))
		if err != nil {
			return err
		}
		handler = f.handler()
	default:
		return fmt.Errorf("there is no role %q", role)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, `{"message": "the %s is ready", "url": "http://%s"}`+"\n", role, listener.Addr())
	return http.Serve(listener, handler)
}

// startServer starts the server that people run, with its usual settings.
func startServer(b *testing.B, db app.Database, env ...string) *program {
	b.Helper()
	binary, err := serverBinary()
	harness.Must(b, err)
	return startProgram(b, "server", append(env, "FERMATA_DATABASE_URL="+db.DatabaseURL, "FERMATA_SECRET_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
		binary, "serve", "--listen=127.0.0.1:0", "--data-dir="+db.DataDir)
}

// serverBinary builds the server once.
var serverBinary = sync.OnceValues(func() (string, error) {
	if binary := os.Getenv(serverVariable); binary != "" {
		return filepath.Abs(binary)
	}
	binary := filepath.Join(os.TempDir(), fmt.Sprintf("fermata-bench-%d", os.Getuid()))
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "github.com/fermata-dev/fermata/cmd/fermata")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return binary, nil
})

// cpu is the processor time that the program has used, by the system's own account.
func (p *program) cpu(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		b.Fatalf("what a process uses is read from /proc, which only Linux has: %v", err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	harness.Must(b, err)
	system, err := strconv.Atoi(fields[12])
	harness.Must(b, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}
