package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/console"
	"github.com/fermata-dev/fermata/cli/remote"
)

// Command is a chat in the terminal.
type Command struct {
	command.ClientFlags `embed:""`
	Session             string   `help:"Continue this session instead of starting a new one." short:"s"`
	Message             string   `help:"Send this message, wait for its answer and exit." short:"m"`
	Name                string   `help:"Name of a new session."`
	File                []string `help:"Upload this file and send it with the first message; may be repeated." type:"existingfile"`
	AnswerSchema        string   `help:"JSON Schema, in this file, that each answer must satisfy." type:"existingfile" placeholder:"FILE"`
	Yes                 bool     `help:"Approve everything without asking." xor:"answer"`
	No                  bool     `help:"Reject everything without asking." xor:"answer"`
	Plain               bool     `help:"Write line by line, without rendering Markdown: for screen readers and recordings."`
	History             bool     `help:"Keep a history of the input, for the arrow keys." default:"true" negatable:"" env:"FERMATA_CHAT_HISTORY"`
}

// Help is the detailed help.
func (Command) Help() string {
	return "Enter sends; Alt-Enter, Ctrl-J or a backslash before Enter start a new line, and pasted text keeps its lines. " +
		"The arrow keys search the history for entries that start like the current line. The history is stored in " +
		"$XDG_STATE_HOME/fermata/chat-history (1000 entries, readable by you only), except for lines that start with a space and with --no-history. " +
		"Ctrl-C interrupts the round, a second one exits, and so does Ctrl-D. /quit exits, /stop interrupts, /help lists all commands. " +
		"Where the cursor cannot be moved (a pipe, TERM=dumb, --plain) each line is a message; " +
		"from a pipe the next one is read when the answer is complete. With -o json each event of the session is printed as a line of JSON, and nothing else: " +
		"approvals and questions are answered by --yes or --no."
}

// Run runs the chat until the input ends or the person leaves.
func (c *Command) Run(cc *command.Context) error {
	api, err := c.Client(cc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cc.Context)
	defer cancel()
	t := &chatLoop{
		client: api, name: c.Name, yes: c.Yes, no: c.No,
		screen: &command.Screen{Out: cc.Out, Terminal: cc.Terminal, Colour: cc.Colour}, invites: cc.Terminal,
		events: make(chan remote.Event, 64), links: make(chan link, 4), calls: make(chan func() error),
		// A script answers by flags, and sends its next line when the answer is complete.
		script: c.Message != "" || !cc.Interactive,
	}
	if c.Output == "json" {
		// The output is for a program: only events are printed.
		t.screen, t.script = &command.Screen{Out: io.Discard}, true
		t.print = func(e remote.Event) error { return command.PrintEvent(cc, e) }
	}
	for _, path := range c.File {
		f, err := command.Upload(cc, api, path)
		if err != nil {
			return err
		}
		t.sent.files = append(t.sent.files, f.ID)
	}
	if c.AnswerSchema != "" {
		if t.sent.answerSchema, err = os.ReadFile(c.AnswerSchema); err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
		if !json.Valid(t.sent.answerSchema) {
			return fmt.Errorf("%s is not JSON", c.AnswerSchema)
		}
	}
	// The follower is cancelled before it is waited for: it may be blocked handing on an event that is
	// no longer received.
	defer t.leave()
	defer cancel()
	return c.runChat(ctx, cc, t)
}

// runChat opens the input and runs the chat.
func (c *Command) runChat(ctx context.Context, cc *command.Context, t *chatLoop) (err error) {
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
		t.screen, t.giveBack, t.invites, lines = foot, foot.GiveBack, false, foot.Typed()
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
func (c *Command) history(cc *command.Context) *console.History {
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

func oneLine(text string) <-chan console.Typed {
	lines := make(chan console.Typed, 1)
	lines <- console.Typed{Text: text, Question: anyQuestion}
	close(lines)
	return lines
}

// anyQuestion marks a line that answers the current question, whichever that is: outside a console it is
// unknown at which question the line was typed.
const anyQuestion = -1
