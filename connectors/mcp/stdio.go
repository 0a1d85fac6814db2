package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/visible"
)

const (
	maxStderr = 8 << 10
	// endTime is how long a process may take to exit after its input was closed.
	endTime = 2 * time.Second
	// writeTime bounds a write to a process that does not read.
	writeTime = 10 * time.Second
)

// stdioLink exchanges messages with a child process, one per line. The process and its children are
// killed with the link.
type stdioLink struct {
	*link
	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *os.File
	stderr  *tail
	secrets []string // values passed to the program
	exited  chan struct{}
	once    sync.Once
	over    atomic.Bool // it has closed its output: new requests would get no response

	writing sync.Mutex
	state   sync.Mutex
	waiting map[jsonrpc.ID]waiter
}

type waiter struct {
	exchange *exchange
	method   string
	done     func()
}

// startProcess starts the server. Its environment consists of the configured variables, with our
// PATH and HOME as defaults, and nothing else, so that no secret leaks into it.
func startProcess(config Config) (*stdioLink, error) {
	link := newLink()
	process := exec.CommandContext(link.ctx, config.Command, config.Args...) //nolint:gosec // the operator allows it
	process.Cancel = func() error { killGroup(process); return nil }
	process.Env = environment(config.Env)
	process.Dir = os.TempDir()
	ownGroup(process)
	l := &stdioLink{link: link, process: process, stderr: &tail{}, exited: make(chan struct{}), waiting: map[jsonrpc.ID]waiter{}}
	for _, secret := range config.Env {
		l.secrets = append(l.secrets, secret)
	}
	process.Stderr = l.stderr
	process.WaitDelay = time.Second // do not wait for a grandchild that keeps stderr open
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return nil, notSent("The connector's program could not be started.", err)
	}
	process.Stdout = theirs
	if l.stdin, err = process.StdinPipe(); err == nil {
		err = process.Start()
	}
	_ = theirs.Close()
	if err != nil {
		_ = stdout.Close()
		l.end(nil)
		return nil, notSent("The connector's program could not be started.", errors.Join(errNotStarted, err))
	}
	l.stdout = stdout
	go func() {
		_ = process.Wait() // its exit is reported elsewhere
		close(l.exited)
	}()
	l.running.Go(l.read)
	return l, nil
}

// errNotStarted means that there was no process at all.
var errNotStarted = errors.New("it was not started")

func environment(given map[string]string) []string {
	env := []string{}
	for _, name := range []string{"PATH", "HOME"} {
		if _, ok := given[name]; !ok {
			env = append(env, name+"="+os.Getenv(name))
		}
	}
	for name, value := range given {
		env = append(env, name+"="+value)
	}
	return env
}

// Connect is called by the SDK; the process is already running.
func (l *stdioLink) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID is empty: a process has one session.
func (l *stdioLink) SessionID() string { return "" }

func (l *stdioLink) lost() bool { return l.ctx.Err() != nil || l.over.Load() }

func (l *stdioLink) listen(context.Context) {} // notifications arrive on the same stream

// Write sends one message.
func (l *stdioLink) Write(ctx context.Context, m jsonrpc.Message) error {
	request, _ := m.(*jsonrpc.Request)
	e := exchangeOf(ctx)
	data, err := jsonrpc.EncodeMessage(m)
	if request != nil && request.IsCall() {
		data, err = e.encode(request)
		l.expect(ctx, e, request)
	}
	if err != nil {
		return err
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.lost() {
		return notSent("The connector's program has ended.", l.cause())
	}
	e.left.Store(true)
	if pipe, ok := l.stdin.(interface{ SetWriteDeadline(t time.Time) error }); ok {
		_ = pipe.SetWriteDeadline(clock.System().Add(writeTime)) // if unsupported, Close kills the process
	}
	n, err := l.stdin.Write(append(data, '\n'))
	if n == 0 && errors.Is(err, syscall.EPIPE) { // it exited before reading any of this
		e.left.Store(false)
		l.end(notSent("The connector's program has ended.", err))
		return l.cause()
	}
	if err != nil {
		l.end(unknownOutcome("The connector's program does not read its input.", err)) // a partial line may have been written
		return l.cause()
	}
	return nil
}

func (l *stdioLink) expect(ctx context.Context, e *exchange, request *jsonrpc.Request) {
	l.state.Lock()
	l.waiting[request.ID] = waiter{exchange: e, method: request.Method, done: l.asks(ctx, e)}
	l.state.Unlock()
	context.AfterFunc(ctx, func() { l.waiter(request.ID) })
	if request.Method == methodDiscover {
		l.begin(func() { l.giveUpProbe(ctx, request.ID) })
	}
}

// giveUpProbe answers in place of a server that does not: programs older than 2026 may stay silent.
func (l *stdioLink) giveUpProbe(ctx context.Context, id jsonrpc.ID) {
	limited, cancel := probing(ctx, methodDiscover)
	defer cancel()
	limited, stop := l.within(limited)
	defer stop()
	<-limited.Done()
	if _, waits := l.waiter(id); waits && ctx.Err() == nil {
		l.deliver(failure(id, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer"}))
	}
}

// waiter removes and returns the waiter for a response.
func (l *stdioLink) waiter(id jsonrpc.ID) (waiter, bool) {
	l.state.Lock()
	defer l.state.Unlock()
	w, ok := l.waiting[id]
	delete(l.waiting, id)
	if ok {
		w.done()
	}
	return w, ok
}

// read processes the program's output until it ends or becomes invalid.
func (l *stdioLink) read() {
	source := lines{from: bufio.NewReaderSize(l.stdout, 64<<10)}
	for {
		line, err := source.next(MaxMessageBytes)
		if len(line) > 0 && err != nil && !errors.Is(err, errTooLong) {
			l.over.Store(true) // before the receiver of the response sends another request
			l.takeLine(line)   // the last line, without its line ending
		}
		switch {
		case errors.Is(err, errTooLong):
			l.end(unknownOutcome("The connector's program wrote more than 8 MiB in one message.", err))
			return
		case err != nil:
			l.end(l.ended(err))
			return
		case !l.takeLine(line):
			return
		}
	}
}

// takeLine processes one line. It returns false after an undecodable message, which ends the link.
// Banners and log lines, which many programs write to the wrong stream, are kept for the operator.
func (l *stdioLink) takeLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	switch m, err := decode(line); {
	case len(line) == 0:
	case err == nil:
		l.handle(m)
	case l.answersUnnamed(line):
	case line[0] == '{' && claimsToBeMessage(line):
		l.end(unknownOutcome("The connector's program wrote an invalid protocol message.", err))
		return false
	default:
		l.stderr.stray(line)
	}
	return true
}

// claimsToBeMessage reports whether an undecodable line looks like a message: a response may be
// lost with it.
func claimsToBeMessage(line []byte) bool {
	if json.Valid(line) {
		var members struct {
			Version json.RawMessage `json:"jsonrpc"`
		}
		return exactjson.Lenient(line, &members) == nil && members.Version != nil
	}
	rest := bytes.TrimSpace(line[1:])
	return len(rest) > 0 && rest[0] == '"' && bytes.Contains(rest, []byte(`"jsonrpc"`))
}

// answersUnnamed assigns an error with the ID null to the single open request.
func (l *stdioLink) answersUnnamed(line []byte) bool {
	failed := unnamedError(line)
	if failed == nil {
		return false
	}
	if id, ok := l.onlyWaiting(); ok {
		if w, ok := l.waiter(id); ok {
			if w.method == methodDiscover { // the first request was not understood: restart it
				l.end(unknownOutcome("The connector's program did not understand the first request.", failed))
			}
			l.deliver(failure(id, failed))
		}
	}
	return true
}

// onlyWaiting returns the open request if there is exactly one.
func (l *stdioLink) onlyWaiting() (jsonrpc.ID, bool) {
	l.state.Lock()
	defer l.state.Unlock()
	for id := range l.waiting {
		return id, len(l.waiting) == 1
	}
	return jsonrpc.ID{}, false
}

// waitingFor returns the ID of the request that a response belongs to. Some programs return the
// number as a string.
func (l *stdioLink) waitingFor(answered jsonrpc.ID) jsonrpc.ID {
	l.state.Lock()
	defer l.state.Unlock()
	if _, ok := l.waiting[answered]; ok {
		return answered
	}
	for id := range l.waiting {
		if sameID(answered, id) {
			return id
		}
	}
	return answered
}

// ended returns the error for everything that waits for a program that has exited.
func (l *stdioLink) ended(err error) error {
	select { // its last output is available after Wait
	case <-l.exited:
	case <-time.After(time.Second):
	}
	failed := unknownOutcome("The connector's program ended before it answered.", errors.Join(err, l.stderr.err()))
	failed.Said = l.stderr.last(l.secrets)
	return failed
}

func (l *stdioLink) handle(m jsonrpc.Message) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		m.ID = l.waitingFor(m.ID)
		if w, ok := l.waiter(m.ID); ok { // otherwise a duplicate or unsolicited response
			l.deliver(w.exchange.keep(w.method, m))
		}
	case *jsonrpc.Request:
		if m.Method != methodElicit || !m.IsCall() {
			l.deliver(m)
			return
		}
		of, e := l.onlyCall() // a process does not name the call it is about
		l.begin(func() {
			ctx, done := l.within(of)
			defer done()
			if response := answer(ctx, e, m); ctx.Err() == nil {
				_ = l.Write(ctx, response)
			}
		})
	}
}

// Close closes the process's input, waits briefly, and kills it with its process group.
func (l *stdioLink) Close() error {
	l.once.Do(func() {
		_ = l.stdin.Close()
		select {
		case <-l.exited:
		case <-l.ctx.Done(): // after a protocol violation
		case <-time.After(endTime):
		}
		killGroup(l.process) // its children may still run
		<-l.exited
		_ = l.stdout.Close()
	})
	l.stop()
	return nil
}

// tail keeps the last part of a process's standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails: that would end the process.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(p)
	return len(p), nil
}

// stray keeps an output line that is not a message.
func (t *tail) stray(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(append(append([]byte("(on its output) "), line[:min(len(line), maxStderr)]...), '\n'))
}

func (t *tail) keep(p []byte) {
	t.text = append(t.text, p[max(0, len(p)-maxStderr):]...)
	t.text = append([]byte{}, t.text[max(0, len(t.text)-maxStderr):]...)
}

const (
	// lastLines and maxSaid bound the shown output of a program.
	lastLines = 5
	maxSaid   = 600
	// shortSecret: shorter values are not redacted, since they would match parts of words.
	shortSecret = 6
)

// last returns the last lines for administrators, with secrets redacted.
func (t *tail) last(secrets []string) string {
	t.mu.Lock()
	text := string(t.text)
	t.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= shortSecret {
			text = strings.ReplaceAll(text, secret, "(hidden)")
		}
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	said := strings.Join(lines[max(0, len(lines)-lastLines):], " / ")
	if at := len(said) - maxSaid; at > 0 {
		said = strings.ToValidUTF8(said[at:], "")
	}
	return visible.Line(said)
}

func (t *tail) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return nil
	}
	quoted, _ := json.Marshal(string(t.text)) // cannot fail for a string
	return errors.New("it wrote " + string(quoted))
}
