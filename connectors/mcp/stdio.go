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
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/internal/clock"
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
	exited  chan struct{}
	once    sync.Once

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
		return nil, notSent("The connector's program could not be started.", err)
	}
	l.stdout = stdout
	go func() {
		_ = process.Wait() // how it ended is said by its end
		close(l.exited)
	}()
	l.running.Go(l.read)
	return l, nil
}

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

func (l *stdioLink) lost() bool { return l.ctx.Err() != nil }

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
	if l.ctx.Err() != nil {
		return notSent("The connector's program has ended.", l.cause())
	}
	e.left.Store(true)
	if pipe, ok := l.stdin.(interface{ SetWriteDeadline(t time.Time) error }); ok {
		_ = pipe.SetWriteDeadline(clock.System().Add(writeTime)) // without one the process is killed by Close
	}
	if _, err := l.stdin.Write(append(data, '\n')); err != nil {
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
	lines := bufio.NewReaderSize(l.stdout, 64<<10)
	source := &events{lines: lines}
	for {
		line, err := source.line(MaxMessageBytes)
		switch {
		case errors.Is(err, errTooLong):
			l.end(doubt("The connector's program wrote more than 8 MiB in one message.", err))
			return
		case err != nil:
			l.end(doubt("The connector's program ended before it answered.", errors.Join(err, l.stderr.err())))
			return
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] != '{' {
			continue // a greeting: many programs write one where they should not
		}
		m, err := decode(line)
		if err != nil {
			l.end(doubt("The connector's program wrote what is no message of the protocol.", err))
			return
		}
		l.handle(m)
	}
}

func (l *stdioLink) handle(m jsonrpc.Message) {
	switch m := m.(type) {
	case *jsonrpc.Response:
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
	t.text = append(t.text, p[max(0, len(p)-maxStderr):]...)
	t.text = append([]byte{}, t.text[max(0, len(t.text)-maxStderr):]...)
	return len(p), nil
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
