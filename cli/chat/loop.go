package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/console"
	"github.com/fermata-dev/fermata/cli/remote"
)

// link is a change of the connection: err is nil when the stream is open.
type link struct{ err error }

// enclosed is what is sent with messages.
type enclosed struct {
	files        []string        // with the next one
	answerSchema json.RawMessage // with each; nil: answers are text
}

// chatLoop is a chat in the terminal. All its state belongs to one goroutine (run).
type chatLoop struct {
	client  *remote.Client
	screen  display
	name    string
	sent    enclosed
	yes, no bool
	script  bool
	// print, if set, writes each event for programs.
	print func(remote.Event) error
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

	events chan remote.Event
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
				t.screen.Took(line.Text)
			}
			err = t.read(ctx, line)
		case then := <-t.calls:
			err = then()
		case s := <-signals:
			err = t.interrupted(ctx, s)
		}
		switch {
		case errors.Is(err, errLeave):
			t.screen.End()
			return t.left(signals)
		case err != nil:
			t.screen.End()
			return err
		}
		if err := t.prompt(ctx); err != nil {
			t.screen.End()
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
	t.screen.Ask(">")
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
	t.screen.End()
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
		t.screen.Dim("Input is sent as a message. /stop interrupts, /session shows the session, /quit exits. Ctrl-C interrupts, twice exits.")
		return nil
	case text == "/session":
		t.screen.Line("%s", t.id)
		return nil
	case text == "/stop":
		return t.interrupt(ctx)
	case typed.Question > 0 && (t.prompted == nil || typed.Question != t.puts):
		t.screen.Dim("(that question had already been settled; nothing was sent)")
		return nil
	case t.prompted != nil && typed.Question != 0:
		return t.reply(ctx, t.prompted, text)
	}
	return t.say(ctx, typed.Text)
}

// put displays a question.
func (t *chatLoop) put(question string) {
	t.puts++
	t.screen.Ask(question)
}
