package chat

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// later runs a call outside the loop, which continues with then when there is a response: a person can
// type, read and interrupt while a server is unreachable. For a script the order of its lines counts: it
// waits.
func (t *chatLoop) later(ctx context.Context, call func() error, then func(error) error) error {
	if t.script {
		return then(call())
	}
	t.beside.Go(func() {
		err := call()
		select {
		case t.calls <- func() error { return then(err) }:
		case <-ctx.Done():
		}
	})
	return nil
}

// deliver makes a call that must not be lost: for a person it is repeated until the server responds, under
// one idempotency key.
func (t *chatLoop) deliver(ctx context.Context, path string, in, out any) error {
	if t.script {
		return t.client.Call(ctx, http.MethodPost, path, in, out)
	}
	return t.client.Persist(ctx, http.MethodPost, path, in, out, func(err error) { t.notifyLink(ctx, link{err}) })
}

// say sends a message; the first one creates the session.
func (t *chatLoop) say(ctx context.Context, text string) error {
	sending, cancel := context.WithCancel(ctx)
	t.sending = cancel
	path, message := "/v1/sessions/"+t.id+"/messages", map[string]any{"text": text}
	if len(t.sent.files) > 0 {
		message["file_ids"] = t.sent.files
	}
	if t.sent.answerSchema != nil {
		message["answer_schema"] = t.sent.answerSchema
	}
	var session api.Session
	var receipt api.MessageAccepted
	call := func() error { return t.deliver(sending, path, message, &receipt) }
	if t.id == "" {
		call = func() error {
			return t.deliver(sending, "/v1/sessions", map[string]string{"name": cmp.Or(t.name, firstLine(text))}, &session)
		}
	}
	return t.later(ctx, call, func(err error) error {
		cancel()
		t.sending = nil
		if err != nil {
			return t.unsent(text, err)
		}
		t.linked(link{})
		if t.id == "" {
			t.screen.Dim("session %s", session.ID)
			if err := t.follow(ctx, &session); err != nil {
				return err
			}
			return t.say(ctx, text)
		}
		t.accepted(&receipt)
		if t.stopping {
			t.stopping = false
			return t.interrupt(ctx)
		}
		return nil
	})
}

// firstLine is the default name of a session.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return shorten.Characters(first, 60)
}

func (t *chatLoop) accepted(receipt *api.MessageAccepted) {
	t.sent.files = nil
	t.trouble, t.awaited = "", receipt.EventSeq
	if receipt.Message.Status == "queued" && !t.script && receipt.Session.Status == api.StatusRunning {
		t.screen.Dim("(waits in the queue)")
	}
}

// unsent handles a message that was rejected or given up. Its text is restored in the input.
func (t *chatLoop) unsent(text string, err error) error {
	t.stopping = false
	if t.giveBack != nil {
		t.giveBack(text)
	}
	if errors.Is(err, context.Canceled) && !t.script {
		t.linked(link{})
		t.screen.Dim("(given up; it may have arrived)")
		return nil
	}
	return t.failed(err)
}

// left waits for a message that is being sent, as long as the server responds, and returns an error if it
// may not have arrived. Another Ctrl-C ends the wait.
func (t *chatLoop) left(signals <-chan os.Signal) error {
	for t.sending != nil && !t.lost {
		select {
		case then := <-t.calls:
			if err := then(); err != nil {
				return err
			}
		case l := <-t.links:
			t.linked(l)
		case <-t.events: // not displayed any more
		case <-signals:
			t.lost = true
		}
	}
	if t.sending == nil {
		return nil
	}
	return errors.New("your last message may not have arrived: the server did not respond")
}

// failed displays an error to a person; for a script it ends the chat.
func (t *chatLoop) failed(err error) error {
	if t.script {
		return err
	}
	t.screen.Line("! %v", err)
	return nil
}

// interrupted handles Ctrl-C: the first interrupts the round, the next exits. A signal from outside exits at
// once.
func (t *chatLoop) interrupted(ctx context.Context, s os.Signal) error {
	if s != syscall.SIGTERM && cancelEdit(t) {
		return nil
	}
	resting := t.id == "" || t.status == api.StatusIdle || t.status == api.StatusEnded
	switch {
	case s == syscall.SIGTERM, t.pressed, resting && t.sending == nil && t.giveBack == nil:
		return errLeave
	case t.sending != nil && t.lost:
		t.sending()
	case t.sending != nil && resting: // the round is interrupted once it has begun
		t.screen.Dim("(interrupting; Ctrl-C again exits)")
		t.stopping = true
	case resting:
		t.screen.Dim("(Ctrl-C again exits, and so does Ctrl-D)")
	default:
		t.screen.Dim("(interrupting; Ctrl-C again exits)")
		t.pressed = true
		return t.interrupt(ctx)
	}
	t.pressed = true
	return nil
}

func (t *chatLoop) interrupt(ctx context.Context) error {
	if t.id == "" {
		return nil
	}
	path := "/v1/sessions/" + t.id + "/interrupt"
	return t.later(ctx, func() error { return t.client.Call(ctx, http.MethodPost, path, nil, nil) }, func(err error) error {
		if err != nil && remote.CodeOf(err) != "wrong_phase" { // the round had already ended
			t.screen.Line("! %v", err)
		}
		return nil
	})
}
