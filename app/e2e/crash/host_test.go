package crash

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// host keeps one server running on one database, as a process of its own: whenever it
// dies it is started again, as an operating system's supervisor would.
type host struct {
	t  testing.TB
	db app.Database
	// node is its name, with what else its environment says.
	node string
	env  []string
	// program is what is started; "": this test binary. listen is where; "": on a free port.
	program, listen string
	// diesEarly: a session kills it, perhaps before it says that it is ready.
	diesEarly bool

	mu       sync.Mutex
	up       *child        // nil while it is starting
	starting *child        // the one that was started last
	changed  chan struct{} // closed when up changes
	deaths   int
	nextKill string // arms the next start
	problem  error
	closed   bool
	down     chan struct{} // while it is not nil and open, no server is started
	done     chan struct{}
	slowest  time.Duration // from start to ready
}

// child is one process.
type child struct {
	cmd   *exec.Cmd
	begun time.Time
	url   string
	gone  chan struct{} // closed when it has ended
	log   *tail
	lock  sync.Mutex // of in and out: one question at a time
	in    io.WriteCloser
	out   *bufio.Reader
	ready chan string
}

func newHost(t testing.TB, db app.Database) *host {
	t.Helper()
	h := newNodeHost(t, db, "test")
	h.server()
	return h
}

// newNodeHost is newHost for one node of several; it does not wait.
func newNodeHost(t testing.TB, db app.Database, node string, env ...string) *host {
	return begun(&host{t: t, db: db, node: node, env: env})
}

// begun starts the server of a host.
func begun(h *host) *host {
	h.changed, h.done = make(chan struct{}), make(chan struct{})
	go h.supervise()
	h.t.Cleanup(h.close)
	return h
}

// supervise starts the server again and again.
func (h *host) supervise() {
	defer close(h.done)
	for {
		h.mu.Lock()
		kill, program := h.nextKill, h.program
		h.nextKill = ""
		closed, down := h.closed, h.down
		h.mu.Unlock()
		if down != nil && !closed {
			<-down
			h.change(func() { h.down = nil })
			continue
		}
		if closed {
			return
		}
		begun := time.Now()
		c, err := startChild(h, kill, program)
		if err != nil {
			h.change(func() { h.problem = err })
			return
		}
		h.change(func() { h.starting = c })
		select {
		case c.url = <-c.ready:
			h.change(func() {
				h.up = c
				h.slowest = max(h.slowest, time.Since(begun))
				if h.closed {
					_ = c.cmd.Process.Kill() // close did not see it
				}
			})
			<-c.gone
		case <-c.gone:
			if kill == "" && !h.diesEarly {
				h.change(func() { h.problem = fmt.Errorf("the server ended at its start:\n%s", c.log) })
				return
			}
		}
		h.change(func() { h.up = nil; h.deaths++ })
	}
}

func (h *host) change(what func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	what()
	close(h.changed)
	h.changed = make(chan struct{})
}

// server gives the running process; it waits while there is none.
func (h *host) server() *child {
	h.t.Helper()
	deadline := time.After(harness.Patience)
	for {
		h.mu.Lock()
		up, problem, changed := h.up, h.problem, h.changed
		h.mu.Unlock()
		if problem != nil {
			h.t.Fatal(problem)
		}
		if up != nil {
			return up
		}
		select {
		case <-changed:
		case <-deadline:
			h.t.Fatalf("the server does not start:\n%s", h.stacks())
		}
	}
}

// stacks ends the process that is starting, and gives its log, which ends with where each of
// its goroutines was.
func (h *host) stacks() string {
	h.mu.Lock()
	c := h.starting
	h.mu.Unlock()
	if c == nil {
		return "it was not begun"
	}
	c.log.whole()
	// A process that began long ago and has used little CPU time waited for the machine.
	usage, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	load, _ := os.ReadFile("/proc/loadavg")
	c.log.add(fmt.Sprintf("begun %s ago: %s, load %s", time.Since(c.begun), usage, load))
	_ = c.cmd.Process.Signal(syscall.SIGQUIT) // it may have ended
	select {
	case <-c.gone:
	case <-time.After(10 * time.Second):
	}
	return c.log.String()
}

// running is the process that is up, nil while there is none.
func (h *host) running() *child {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.up
}

// kill ends the running process with SIGKILL, if there is one.
func (h *host) kill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.up != nil {
		_ = h.up.cmd.Process.Kill() // it may have ended by itself
	}
}

// killAndWait also waits until it is gone.
func (h *host) killAndWait() {
	h.t.Helper()
	c := h.server()
	h.kill()
	<-c.gone
}

// keepsDown kills the server, and gives the function that lets the next one start.
func (h *host) keepsDown() (up func()) {
	h.t.Helper()
	down := make(chan struct{})
	c := h.server()
	h.change(func() { h.down = down })
	h.kill()
	<-c.gone
	up = sync.OnceFunc(func() { close(down) })
	h.t.Cleanup(up)
	return up
}

// died counts the deaths so far.
func (h *host) died() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.deaths
}

func (h *host) slowestStart() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.slowest
}

// killNextStart arms the process that is started next.
func (h *host) killNextStart(how string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nextKill = how
}

// nextStarted says whether the process that killNextStart armed has been started.
func (h *host) nextStarted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.nextKill == ""
}

func (h *host) close() {
	h.mu.Lock()
	h.closed = true
	if h.up != nil {
		_ = h.up.cmd.Process.Kill()
	}
	h.mu.Unlock()
	<-h.done
}

// arm sets the point at which the running process kills itself, and returns the number of commits since the last
// call. A process that is just dying does not respond.
func (h *host) arm(how string) int {
	h.t.Helper()
	for {
		c := h.server()
		n, err := c.ask(how)
		if err == nil {
			return n
		}
		select {
		case <-c.gone:
		case <-time.After(10 * time.Second):
			h.t.Fatalf("arm the server: %v\n%s", err, c.log)
		}
	}
}

func (c *child) ask(text string) (n int, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if _, err = fmt.Fprintln(c.in, text); err != nil {
		return 0, err
	}
	_, err = fmt.Fscanln(c.out, &n)
	return n, err
}

func startChild(h *host, kill, program string) (*child, error) {
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		program = self
	}
	var err error
	c := &child{gone: make(chan struct{}), ready: make(chan string, 1), log: &tail{}, begun: time.Now()}
	c.cmd = exec.Command(program, "serve", "--listen="+cmp.Or(h.listen, "127.0.0.1:0"), "--data-dir="+h.db.DataDir)
	c.cmd.Env = append(os.Environ(), childVariable+"=1", killVariable+"="+kill,
		"FERMATA_DATABASE_URL="+h.db.DatabaseURL, "FERMATA_NODE_ID="+h.node, "FERMATA_SHUTDOWN_GRACE=1s", cautionVariable+"="+careless,
		"FERMATA_SECRET_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	c.cmd.Env = append(c.cmd.Env, h.env...)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	log, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go c.follow(log)
	return c, nil
}

// follow reads the log, which says when the server is ready and where.
func (c *child) follow(log io.Reader) {
	defer close(c.gone)
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ URL, Message string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "Fermata is ready" {
			c.ready <- line.URL
		}
		if line.Message != "request" {
			c.log.add(lines.Text())
		}
	}
	_ = c.cmd.Wait() // killed: that is what it is for
}

// tail keeps the last lines of a log.
type tail struct {
	mu    sync.Mutex
	lines []string
	all   bool // what comes from now on is kept whole
}

func (l *tail) whole() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = true
}

func (l *tail) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	if len(l.lines) > 60 && !l.all {
		l.lines = l.lines[1:]
	}
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// bad gives the log's lines that say that something failed which must not: a panic, a
// race, a driver that gave up.
func (l *tail) bad() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all bytes.Buffer
	for _, line := range l.lines {
		for _, sign := range []string{"DATA RACE", "panic", `"level":"error"`} {
			if strings.Contains(line, sign) {
				all.WriteString(line + "\n")
				break
			}
		}
	}
	return all.String()
}
