package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/fermata-dev/fermata/api"
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
}

// Help is shown under --help.
func (chatCommand) Help() string {
	return "Each line is a message; in a pipe the next line is read when the answer is complete. " +
		"Ctrl-C interrupts the round, a second one leaves. /quit leaves, /stop interrupts, /help lists the rest. " +
		"With -o json each event of the session is printed as a line of JSON, and nothing else: " +
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
	if cc.Signals == nil {
		signals := make(chan os.Signal, 2)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(signals)
		cc.Signals = signals
	}
	var files []string
	for _, path := range c.File {
		f, err := api.upload(cc, path)
		if err != nil {
			return err
		}
		files = append(files, f.ID)
	}
	t := &talk{
		client: api, name: c.Name, files: files, yes: c.Yes, no: c.No,
		screen: screen{out: cc.Out, terminal: cc.Terminal, colour: cc.Colour},
		events: make(chan sseEvent, 64), links: make(chan link, 4),
		// A script decides by flags, and sends its next line when the answer is complete.
		script: c.Message != "" || !cc.Interactive,
	}
	if c.Output == "json" {
		// A program reads: it gets the events, and the words for people go nowhere.
		t.screen, t.script = screen{out: io.Discard}, true
		t.print = func(e sseEvent) error { return printEvent(cc, e) }
	}
	// The follower is told to stop before it is waited for: it may be about to hand on
	// an event that nobody takes any more.
	defer t.leave()
	defer cancel()
	if c.Session != "" {
		if err := t.join(ctx, c.Session); err != nil {
			return err
		}
	}
	lines := readLines(ctx, cc.In)
	if c.Message != "" {
		lines = oneLine(c.Message)
	}
	return t.run(ctx, lines, cc.Signals)
}

// readLines hands on what is typed; the channel is closed at the end. The goroutine
// ends with the input or, at the next line, with ctx: a read of a terminal cannot be
// cut short.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(make([]byte, 0, 4096), 1<<20)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func oneLine(text string) <-chan string {
	lines := make(chan string, 1)
	lines <- text
	close(lines)
	return lines
}

// link is news of the connection: err is nil when the stream is open.
type link struct{ err error }

// talk is a chat in the terminal. One loop (run) owns all of it.
type talk struct {
	client  *client
	screen  screen
	name    string
	files   []string // that go with the next message
	yes, no bool
	script  bool
	// print, if set, writes each event for a program.
	print func(sseEvent) error

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
	trouble  string    // what went wrong in the round
	invited  bool      // the mark that it is their turn stands there
	pressed  bool      // Ctrl-C was pressed since the person last did something else
}

// errLeave ends the chat without an error.
var errLeave = errors.New("leave")

// run is the loop: events, lines, signals, one at a time.
func (t *talk) run(ctx context.Context, lines <-chan string, signals <-chan os.Signal) error {
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
				t.screen.typed()
			}
			err = t.read(ctx, line)
		case <-signals:
			err = t.interrupted(ctx)
		}
		switch {
		case errors.Is(err, errLeave):
			t.screen.end()
			return nil
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
	if t.invited || !t.screen.terminal || t.script || !t.rests() || (t.id != "" && t.status != api.StatusIdle) {
		return
	}
	t.screen.ask(">")
	t.invited = true
}

// rests says that nothing of ours is under way.
func (t *talk) rests() bool { return t.awaited == 0 && len(t.open) == 0 }

// takesLine says whether the next line may be read: a person's always, a script's when
// there is something to do with it.
func (t *talk) takesLine() bool { return !t.script || t.rests() || t.prompted != nil }

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

// read takes a line that was typed.
func (t *talk) read(ctx context.Context, line string) error {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return nil
	case text == "/quit" || text == "/exit":
		return errLeave
	case text == "/help":
		t.screen.dim("A line is a message. /stop interrupts, /session names the session, /quit leaves. Ctrl-C interrupts, twice leaves.")
		return nil
	case text == "/session":
		t.screen.line("%s", t.id)
		return nil
	case text == "/stop":
		return t.interrupt(ctx)
	case t.prompted != nil:
		return t.reply(ctx, t.prompted, text)
	}
	return t.say(ctx, line)
}

// say sends a message; the first one makes the session.
func (t *talk) say(ctx context.Context, text string) error {
	if t.id == "" {
		if err := t.begin(ctx, text); err != nil {
			return err
		}
	}
	var receipt api.MessageAccepted
	message := map[string]any{"text": text}
	if len(t.files) > 0 {
		message["file_ids"] = t.files
	}
	err := t.client.call(ctx, http.MethodPost, "/v1/sessions/"+t.id+"/messages", message, &receipt)
	if err != nil {
		return t.failed(err)
	}
	t.files = nil
	t.trouble, t.awaited = "", receipt.EventSeq
	if receipt.Message.Status == "queued" && !t.script && receipt.Session.Status == api.StatusRunning {
		t.screen.dim("(waits its turn)")
	}
	return nil
}

// failed tells a person of an error and goes on; for a script it is the end.
func (t *talk) failed(err error) error {
	if t.script {
		return err
	}
	t.screen.line("! %v", err)
	return nil
}

// interrupted is Ctrl-C: the first interrupts what goes on, the next leaves.
func (t *talk) interrupted(ctx context.Context) error {
	if t.pressed || t.id == "" || t.status == api.StatusIdle || t.status == api.StatusEnded {
		return errLeave
	}
	t.pressed = true
	t.screen.dim("(interrupting; Ctrl-C again leaves)")
	return t.interrupt(ctx)
}

func (t *talk) interrupt(ctx context.Context) error {
	if t.id == "" {
		return nil
	}
	err := t.client.call(ctx, http.MethodPost, "/v1/sessions/"+t.id+"/interrupt", nil, nil)
	if codeOf(err) == "wrong_phase" {
		return nil // it had come to rest by itself
	}
	if err != nil {
		t.screen.line("! %v", err)
	}
	return nil
}
