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

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

const (
	maxStderr = 8 << 10
	// endTime is how long a process has to end by itself once its input is closed.
	endTime = 2 * time.Second
	// writeTime bounds a write to a process that reads nothing.
	writeTime = 10 * time.Second
)

// stdioLink speaks with a process of ours, a message a line. The process and whatever it
// started are killed with the link.
type stdioLink struct {
	*link
	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *os.File
	stderr  *tail
	secrets []string // that the program was given
	exited  chan struct{}
	once    sync.Once
	over    atomic.Bool // it has closed its output: what is sent to it now has no answer

	writing sync.Mutex
	state   sync.Mutex
	waiting map[jsonrpc.ID]waiter
}

type waiter struct {
	exchange *exchange
	method   string
	done     func()
}

// startProcess starts the server. It gets the environment that it was given, with our PATH
// and HOME where it names none, and nothing else of ours: no secret leaks into it.
func startProcess(config Config) (*stdioLink, error) {
	link := newLink()
	process := exec.CommandContext(link.ctx, config.Command, config.Args...) //nolint:gosec // the operator allows it, a person wrote it
	process.Cancel = func() error { killGroup(process); return nil }
	process.Env = environment(config.Env)
	process.Dir = os.TempDir()
	ownGroup(process)
	l := &stdioLink{link: link, process: process, stderr: &tail{}, exited: make(chan struct{}), waiting: map[jsonrpc.ID]waiter{}}
	for _, secret := range config.Env {
		l.secrets = append(l.secrets, secret)
	}
	process.Stderr = l.stderr
	process.WaitDelay = time.Second // a grandchild that holds stderr open is not waited for
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
		_ = process.Wait() // how it ended is said by its end
		close(l.exited)
	}()
	l.running.Go(l.read)
	return l, nil
}

// errNotStarted: there is no process, whatever it would have said.
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

// Connect is what the SDK calls; the process runs already.
func (l *stdioLink) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID: a process has one session.
func (l *stdioLink) SessionID() string { return "" }

func (l *stdioLink) lost() bool { return l.ctx.Err() != nil || l.over.Load() }

func (l *stdioLink) listen(context.Context) {} // news come with everything else

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
		_ = pipe.SetWriteDeadline(clock.System().Add(writeTime)) // without one the process is killed by Close
	}
	n, err := l.stdin.Write(append(data, '\n'))
	if n == 0 && errors.Is(err, syscall.EPIPE) { // it ended before it could read anything of this
		e.left.Store(false)
		l.end(notSent("The connector's program has ended.", err))
		return l.cause()
	}
	if err != nil {
		l.end(doubt("The connector's program does not read what it is sent.", err)) // half a line may stand there
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

// giveUpProbe answers for a server that does not: programs of before 2026 may be silent.
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

// waiter takes who waits for an answer.
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

// read takes in what the process writes, until it ends or writes what is no message.
func (l *stdioLink) read() {
	source := lines{from: bufio.NewReaderSize(l.stdout, 64<<10)}
	for {
		line, err := source.next(MaxMessageBytes)
		if len(line) > 0 && err != nil && !errors.Is(err, errTooLong) {
			l.over.Store(true) // before whoever gets the answer sends the next request
			l.takeLine(line)   // the last one, without its end
		}
		switch {
		case errors.Is(err, errTooLong):
			l.end(doubt("The connector's program wrote more than 8 MiB in one message.", err))
			return
		case err != nil:
			l.end(l.ended(err))
			return
		case !l.takeLine(line):
			return
		}
	}
}

// takeLine takes in one line; false: it was a message that cannot be read, and the link ends.
// Greetings and the lines of a log, which many programs write where they should not, are kept
// for the operator.
func (l *stdioLink) takeLine(line []byte) bool {
	line = bytes.TrimSpace(line)
	switch m, err := decode(line); {
	case len(line) == 0:
	case err == nil:
		l.handle(m)
	case l.answersUnnamed(line):
	case line[0] == '{' && claimsToBeMessage(line):
		l.end(doubt("The connector's program wrote what is no message of the protocol.", err))
		return false
	default:
		l.stderr.stray(line)
	}
	return true
}

// claimsToBeMessage says whether a line that cannot be read says of itself that it is a
// message: an answer may be lost with it.
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

// answersUnnamed takes an error whose id is null for the answer to the one request that is open.
func (l *stdioLink) answersUnnamed(line []byte) bool {
	failed := unnamedError(line)
	if failed == nil {
		return false
	}
	if id, ok := l.onlyWaiting(); ok {
		if w, ok := l.waiter(id); ok {
			if w.method == methodDiscover { // it did not understand the first word: it is started again
				l.end(doubt("The connector's program did not understand what it was asked first.", failed))
			}
			l.deliver(failure(id, failed))
		}
	}
	return true
}

// onlyWaiting is the request that waits, where it is one alone.
func (l *stdioLink) onlyWaiting() (jsonrpc.ID, bool) {
	l.state.Lock()
	defer l.state.Unlock()
	for id := range l.waiting {
		return id, len(l.waiting) == 1
	}
	return jsonrpc.ID{}, false
}

// waitingFor is the request that an answer names, whose number some programs write as a text.
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

// ended is the error of everything that waits for a program that has ended.
func (l *stdioLink) ended(err error) error {
	select { // what it wrote last is there once it was waited for
	case <-l.exited:
	case <-time.After(time.Second):
	}
	failed := doubt("The connector's program ended before it answered.", errors.Join(err, l.stderr.err()))
	failed.Said = l.stderr.last(l.secrets)
	return failed
}

func (l *stdioLink) handle(m jsonrpc.Message) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		m.ID = l.waitingFor(m.ID)
		if w, ok := l.waiter(m.ID); ok { // a second answer, or one to nothing, is nobody's
			l.deliver(w.exchange.keep(w.method, m))
		}
	case *jsonrpc.Request:
		if m.Method != methodElicit || !m.IsCall() {
			l.deliver(m)
			return
		}
		of, e := l.onlyCall() // a process does not say which call it is about
		l.begin(func() {
			ctx, done := l.within(of)
			defer done()
			if response := answer(ctx, e, m); ctx.Err() == nil {
				_ = l.Write(ctx, response)
			}
		})
	}
}

// Close closes the process's input, gives it a moment, and kills it with its group.
func (l *stdioLink) Close() error {
	l.once.Do(func() {
		_ = l.stdin.Close()
		select {
		case <-l.exited:
		case <-l.ctx.Done(): // it misbehaved
		case <-time.After(endTime):
		}
		killGroup(l.process) // what it started may have stayed
		<-l.exited
		_ = l.stdout.Close()
	})
	l.stop()
	return nil
}

// tail keeps the end of what a process writes to its errors.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails: it would end the process.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(p)
	return len(p), nil
}

// stray keeps a line that stood among the messages and is none.
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
	// lastLines and maxSaid bound what is shown of the end of a program.
	lastLines = 5
	maxSaid   = 600
	// shortSecret: what is shorter is no secret, and would be taken out of words.
	shortSecret = 6
)

// last is the last lines, for those who look after the connector, without its secrets.
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
	return domain.VisibleLine(said)
}

func (t *tail) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return nil
	}
	quoted, _ := json.Marshal(string(t.text)) // a text always has one
	return errors.New("it wrote " + string(quoted))
}
