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

// chatCommand talks with a session in the terminal.
type chatCommand struct {
	clientFlags `embed:""`
	Session     string   `help:"Go on with this session instead of a new one." short:"s"`
	Message     string   `help:"Send this message, wait for its answer and end." short:"m"`
	Name        string   `help:"Name of a new session."`
	File        []string `help:"Upload this file and send it with the first message; may be given more than once." type:"existingfile"`
	Yes         bool     `help:"Approve whatever is asked, without asking." xor:"answer"`
	No          bool     `help:"Refuse whatever is asked, without asking." xor:"answer"`
	Plain       bool     `help:"Write from top to bottom only, and Markdown as it is: for screen readers and recordings."`
	History     bool     `help:"Keep what is typed, for the arrow keys." default:"true" negatable:"" env:"FERMATA_CHAT_HISTORY"`
}

// Help is shown under --help.
func (chatCommand) Help() string {
	return "Enter sends; Alt-Enter, Ctrl-J or a backslash before Enter begin another line, and what is pasted keeps its lines. " +
		"The arrow keys bring back what was typed before (of what begins as the line does); it is kept in " +
		"$XDG_STATE_HOME/fermata/chat-history, 1000 entries for you alone; what begins with a space is not, nor anything with --no-history. " +
		"Ctrl-C interrupts the round, a second one leaves, and so does Ctrl-D. /quit leaves, /stop interrupts, /help lists the rest. " +
		"Where no cursor can be moved (a pipe, TERM=dumb, --plain) each line is a message; " +
		"in a pipe the next one is read when the answer is complete. With -o json each event of the session is printed as a line of JSON, and nothing else: " +
		"what waits for a person is answered by --yes or --no."
}

// Run talks until there is nothing more to say.
func (c *chatCommand) Run(cc *Context) error {
	api, err := c.client(cc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cc.Context)
	defer cancel()
	t := &talk{
		client: api, name: c.Name, yes: c.Yes, no: c.No,
		screen: &screen{out: cc.Out, terminal: cc.Terminal, colour: cc.Colour}, invites: cc.Terminal,
		events: make(chan sseEvent, 64), links: make(chan link, 4), calls: make(chan func() error),
		// A script decides by flags, and sends its next line when the answer is complete.
		script: c.Message != "" || !cc.Interactive,
	}
	if c.Output == "json" {
		// A program reads: it gets the events, and the words for people go nowhere.
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
	// The follower is told to stop before it is waited for: it may be about to hand on
	// an event that nobody takes any more.
	defer t.leave()
	defer cancel()
	return c.talkOn(ctx, cc, t)
}

// talkOn opens what is typed into and carries on the chat there.
func (c *chatCommand) talkOn(ctx context.Context, cc *Context, t *talk) (err error) {
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

// history is what was typed in chats before. Without it one can talk as well.
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
	_, _ = fmt.Fprintf(cc.Errors, "fermata: what you type is not kept: %v\n", err)
	return nil
}

// readLines hands on what is typed; the channel is closed at the end. The goroutine
// ends with the input or, at the next line, with ctx: a read of a terminal cannot be
// cut short.
func readLines(ctx context.Context, in io.Reader) <-chan console.Typed {
	lines := make(chan console.Typed)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(make([]byte, 0, 4096), 1<<20)
		for scanner.Scan() {
			select {
			case lines <- console.Typed{Text: scanner.Text(), Question: whatever}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// whatever is asked is answered by a line, where nobody can say at which question it was typed.
const whatever = -1

func oneLine(text string) <-chan console.Typed {
	lines := make(chan console.Typed, 1)
	lines <- console.Typed{Text: text, Question: whatever}
	close(lines)
	return lines
}

// link is news of the connection: err is nil when the stream is open.
type link struct{ err error }

// talk is a chat in the terminal. One loop (run) owns all of it.
type talk struct {
	client  *client
	screen  display
	name    string
	files   []string // that go with the next message
	yes, no bool
	script  bool
	// print, if set, writes each event for a program.
	print func(sseEvent) error
	// giveBack, if set, puts a text into the input again.
	giveBack func(text string)
	// lend, if set, gives the terminal to another program until that ends.
	lend    func(*exec.Cmd) error
	invites bool // a mark shows a person that it is their turn

	calls   chan func() error  // what calls beside the loop came to
	beside  sync.WaitGroup     // those calls
	sending context.CancelFunc // of the message that is on its way; nil: none is
	lost    bool               // the server does not answer
	// stopping: Ctrl-C was pressed while the message that begins the round was on its way.
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
	awaited  int64 // number of the event that stored our last message; 0: none is under way
	shown    int64 // seq of the last message that was shown
	live     liveText
	open     []*asking // what waits for the person, oldest first
	prompted *asking   // the one that was put to the person
	puts     int       // how often something was put to the person
	trouble  string    // what went wrong in the round
	invited  bool      // the mark that it is their turn stands there
	pressed  bool      // Ctrl-C was pressed since the person last did something else
}

// errLeave ends the chat without an error.
var errLeave = errors.New("leave")

// run is the loop: events, lines, signals, one at a time.
func (t *talk) run(ctx context.Context, lines <-chan console.Typed, signals <-chan os.Signal) error {
	ended := false // the input is at its end
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

// invite shows a person that it is their turn.
func (t *talk) invite() {
	if t.invited || !t.invites || t.script || !t.rests() || (t.id != "" && t.status != api.StatusIdle) {
		return
	}
	t.screen.ask(">")
	t.invited = true
}

// rests says that nothing of ours is under way.
func (t *talk) rests() bool { return t.awaited == 0 && len(t.open) == 0 && t.sending == nil }

// takesLine says whether the next line may be read: a person's when the one before is sent, a
// script's when there is something to do with it.
func (t *talk) takesLine() bool {
	return t.sending == nil && (!t.script || t.rests() || t.prompted != nil)
}

// inputEnded: a person who closes the input leaves; a script's last answer is waited for.
func (t *talk) inputEnded() error {
	switch {
	case !t.script:
		return errLeave
	case t.prompted != nil:
		return t.unanswered(t.prompted)
	}
	return nil
}

func (t *talk) unanswered(q *asking) error {
	return fmt.Errorf(
		"the session waits for a person and there is no answer: use --yes or --no, or later: fermata approve %s",
		q.approval.ID,
	)
}

func (t *talk) verdict() error {
	t.screen.end()
	if t.trouble != "" && t.script {
		return errors.New(t.trouble)
	}
	return nil
}

// read takes what was typed.
func (t *talk) read(ctx context.Context, typed console.Typed) error {
	text := strings.TrimSpace(typed.Text)
	switch {
	case text == "":
		return nil
	case text == "/quit" || text == "/exit":
		return errLeave
	case text == "/help":
		t.screen.dim("What you type is a message. /stop interrupts, /session names the session, /quit leaves. Ctrl-C interrupts, twice leaves.")
		return nil
	case text == "/session":
		t.screen.line("%s", t.id)
		return nil
	case text == "/stop":
		return t.interrupt(ctx)
	case typed.Question > 0 && (t.prompted == nil || typed.Question != t.puts):
		t.screen.dim("(that question had been settled; nothing was sent)")
		return nil
	case t.prompted != nil && typed.Question != 0:
		return t.reply(ctx, t.prompted, text)
	}
	return t.say(ctx, typed.Text)
}

// put asks the person something.
func (t *talk) put(question string) {
	t.puts++
	t.screen.ask(question)
}
