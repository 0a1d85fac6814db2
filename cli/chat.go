package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/console"
)

// chatCommand is a chat in the terminal.
type chatCommand struct {
	clientFlags `embed:""`
	Session     string   `help:"Continue this session instead of starting a new one." short:"s"`
	Message     string   `help:"Send this message, wait for its answer and exit." short:"m"`
	Name        string   `help:"Name of a new session."`
	File        []string `help:"Upload this file and send it with the first message; may be repeated." type:"existingfile"`
	Yes         bool     `help:"Approve everything without asking." xor:"answer"`
	No          bool     `help:"Reject everything without asking." xor:"answer"`
	Plain       bool     `help:"Write line by line, without rendering Markdown: for screen readers and recordings."`
	History     bool     `help:"Keep a history of the input, for the arrow keys." default:"true" negatable:"" env:"FERMATA_CHAT_HISTORY"`
}

// Help is the detailed help.
func (chatCommand) Help() string {
	return "Enter sends; Alt-Enter, Ctrl-J or a backslash before Enter start a new line, and pasted text keeps its lines. " +
		"The arrow keys search the history for entries that start like the current line. The history is stored in " +
		"$XDG_STATE_HOME/fermata/chat-history (1000 entries, readable by you only), except for lines that start with a space and with --no-history. " +
		"Ctrl-C interrupts the round, a second one exits, and so does Ctrl-D. /quit exits, /stop interrupts, /help lists all commands. " +
		"Where the cursor cannot be moved (a pipe, TERM=dumb, --plain) each line is a message; " +
		"from a pipe the next one is read when the answer is complete. With -o json each event of the session is printed as a line of JSON, and nothing else: " +
		"approvals and questions are answered by --yes or --no."
}

// Run runs the chat until the input ends or the person leaves.
func (c *chatCommand) Run(cc *Context) error {
	api, err := c.client(cc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cc.Context)
	defer cancel()
	t := &chatLoop{
		client: api, name: c.Name, yes: c.Yes, no: c.No,
		screen: &screen{out: cc.Out, terminal: cc.Terminal, colour: cc.Colour}, invites: cc.Terminal,
		events: make(chan sseEvent, 64), links: make(chan link, 4), calls: make(chan func() error),
		// A script answers by flags, and sends its next line when the answer is complete.
		script: c.Message != "" || !cc.Interactive,
	}
	if c.Output == "json" {
		// The output is for a program: only events are printed.
		t.screen, t.script = &screen{out: io.Discard}, true
		t.print = func(e sseEvent) error { return printEvent(cc, e) }
	}
	for _, path := range c.File {
		f, err := api.upload(cc, path)
		if err != nil {
			return err
		}
		t.files = append(t.files, f.ID)
	}
	// The follower is cancelled before it is waited for: it may be blocked handing on an event that is
	// no longer received.
	defer t.leave()
	defer cancel()
	return c.runChat(ctx, cc, t)
}

// runChat opens the input and runs the chat.
func (c *chatCommand) runChat(ctx context.Context, cc *Context, t *chatLoop) (err error) {
	signals := make(chan os.Signal, 2)
	if cc.Signals == nil {
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(signals)
		cc.Signals = signals
	}
	var lines <-chan console.Typed
	switch {
	case c.Message != "":
		lines = oneLine(c.Message)
	case t.script || !cc.Terminal || c.Plain:
		lines = readLines(ctx, cc.In)
	default:
		foot := console.Open(console.Config{In: cc.In, Out: cc.Out, Colour: cc.Colour, History: c.history(cc), Pressed: signals})
		defer func() { err = errors.Join(err, foot.Close()) }()
		t.screen, t.giveBack, t.invites, lines = onConsole{foot}, foot.GiveBack, false, foot.Typed()
		t.lend = func(cmd *exec.Cmd) error {
			defer drain(cc.Signals)
			return foot.Lend(cmd)
		}
	}
	if c.Session != "" {
		if err := t.join(ctx, c.Session); err != nil {
			return err
		}
	}
	return t.run(ctx, lines, cc.Signals)
}

// history opens the history of earlier chats. A chat works without it.
func (c *chatCommand) history(cc *Context) *console.History {
	if !c.History {
		return nil
	}
	path, err := console.HistoryFile("chat-history")
	if err == nil {
		var h *console.History
		if h, err = console.OpenHistory(path); err == nil {
			return h
		}
	}
	_, _ = fmt.Fprintf(cc.Errors, "fermata: the input history is not kept: %v\n", err)
	return nil
}

// readLines sends the lines of the input to a channel, and closes it at the end. The goroutine ends with
// the input or, at the next line, with ctx: a read from a terminal cannot be cancelled.
func readLines(ctx context.Context, in io.Reader) <-chan console.Typed {
	lines := make(chan console.Typed)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(make([]byte, 0, 4096), 1<<20)
		for scanner.Scan() {
			select {
			case lines <- console.Typed{Text: scanner.Text(), Question: anyQuestion}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// anyQuestion marks a line that answers the current question, whichever that is: outside a console it is
// unknown at which question the line was typed.
const anyQuestion = -1

func oneLine(text string) <-chan console.Typed {
	lines := make(chan console.Typed, 1)
	lines <- console.Typed{Text: text, Question: anyQuestion}
	close(lines)
	return lines
}

// link is a change of the connection: err is nil when the stream is open.
type link struct{ err error }

// chatLoop is a chat in the terminal. All its state belongs to one goroutine (run).
type chatLoop struct {
	client  *client
	screen  display
	name    string
	files   []string // sent with the next message
	yes, no bool
	script  bool
	// print, if set, writes each event for programs.
	print func(sseEvent) error
	// giveBack, if set, restores a text in the input.
	giveBack func(text string)
	// lend, if set, runs another program in the terminal.
	lend    func(*exec.Cmd) error
	invites bool // show a prompt when input is expected

	calls   chan func() error  // results of calls outside the loop
	beside  sync.WaitGroup     // those calls
	sending context.CancelFunc // cancels the message being sent; nil: none is
	lost    bool               // the server does not respond
	// stopping: Ctrl-C was pressed while the first message of the round was being sent.
	stopping bool

	events chan sseEvent
	links  chan link
	// done is the follower's error, stopped is closed when it has ended; both are nil
	// until a session is joined.
	done    chan error
	stopped chan struct{}

	id       string // of the session; "" before the first message
	phase    api.Phase
	status   api.SessionStatus
	awaited  int64 // number of the event that stored our last message; 0: no round of ours is running
	shown    int64 // seq of the last message that was shown
	live     liveText
	open     []*asking // open approvals and questions, oldest first
	prompted *asking   // the one that is displayed as a question
	puts     int       // number of questions displayed so far
	trouble  string    // the error of the round
	invited  bool      // the prompt is displayed
	pressed  bool      // Ctrl-C was the last thing the person did
}

// errLeave ends the chat without an error.
var errLeave = errors.New("leave")

// run is the loop over events, lines and signals.
func (t *chatLoop) run(ctx context.Context, lines <-chan console.Typed, signals <-chan os.Signal) error {
	ended := false // the input has ended
	t.invite()
	for {
		if ended && t.rests() {
			return t.verdict()
		}
		in := lines
		if ended || !t.takesLine() {
			in = nil
		}
		var err error
		select {
		case e := <-t.events:
			err = t.take(ctx, e)
		case l := <-t.links:
			t.linked(l)
		case err = <-t.done:
			err = fmt.Errorf("follow the session: %w", err)
		case line, ok := <-in:
			if !ok {
				ended, err = true, t.inputEnded()
				break
			}
			t.pressed, t.invited = false, false
			if !t.script {
				t.screen.took(line.Text)
			}
			err = t.read(ctx, line)
		case then := <-t.calls:
			err = then()
		case s := <-signals:
			err = t.interrupted(ctx, s)
		}
		switch {
		case errors.Is(err, errLeave):
			t.screen.end()
			return t.left(signals)
		case err != nil:
			t.screen.end()
			return err
		}
		if err := t.prompt(ctx); err != nil {
			t.screen.end()
			return err
		}
		t.invite()
	}
}

// invite shows the prompt.
func (t *chatLoop) invite() {
	if t.invited || !t.invites || t.script || !t.rests() || (t.id != "" && t.status != api.StatusIdle) {
		return
	}
	t.screen.ask(">")
	t.invited = true
}

// rests reports whether nothing of ours is in progress.
func (t *chatLoop) rests() bool { return t.awaited == 0 && len(t.open) == 0 && t.sending == nil }

// takesLine reports whether the next line may be read: from a person, when the previous one has been sent;
// from a script, when a line can be used.
func (t *chatLoop) takesLine() bool {
	return t.sending == nil && (!t.script || t.rests() || t.prompted != nil)
}

// inputEnded ends a chat with a person; with a script it waits for the last answer.
func (t *chatLoop) inputEnded() error {
	switch {
	case !t.script:
		return errLeave
	case t.prompted != nil:
		return t.unanswered(t.prompted)
	}
	return nil
}

func (t *chatLoop) unanswered(q *asking) error {
	return fmt.Errorf(
		"the session waits for an answer, and none was given: use --yes or --no, or answer later: fermata approve %s",
		q.approval.ID,
	)
}

func (t *chatLoop) verdict() error {
	t.screen.end()
	if t.trouble != "" && t.script {
		return errors.New(t.trouble)
	}
	return nil
}

// read handles a line of input.
func (t *chatLoop) read(ctx context.Context, typed console.Typed) error {
	text := strings.TrimSpace(typed.Text)
	switch {
	case text == "":
		return nil
	case text == "/quit" || text == "/exit":
		return errLeave
	case text == "/help":
		t.screen.dim("Input is sent as a message. /stop interrupts, /session shows the session, /quit exits. Ctrl-C interrupts, twice exits.")
		return nil
	case text == "/session":
		t.screen.line("%s", t.id)
		return nil
	case text == "/stop":
		return t.interrupt(ctx)
	case typed.Question > 0 && (t.prompted == nil || typed.Question != t.puts):
		t.screen.dim("(that question had already been settled; nothing was sent)")
		return nil
	case t.prompted != nil && typed.Question != 0:
		return t.reply(ctx, t.prompted, text)
	}
	return t.say(ctx, typed.Text)
}

// put displays a question.
func (t *chatLoop) put(question string) {
	t.puts++
	t.screen.ask(question)
}
