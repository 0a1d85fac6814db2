package cli

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// later carries out a call beside the loop, which goes on with then when there is an answer:
// a person types, reads and interrupts while a server is away. For a script the order of its
// lines counts: it waits.
func (t *talk) later(ctx context.Context, call func() error, then func(error) error) error {
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

// deliver makes a call that must not get lost: a person's is made until the server says
// something to it, under one key, so that it counts once.
func (t *talk) deliver(ctx context.Context, path string, in, out any) error {
	if t.script {
		return t.client.call(ctx, http.MethodPost, path, in, out)
	}
	return t.client.persist(ctx, http.MethodPost, path, in, out, func(err error) { t.tell(ctx, link{err}) })
}

// say sends a message; the first one makes the session.
func (t *talk) say(ctx context.Context, text string) error {
	sending, cancel := context.WithCancel(ctx)
	t.sending = cancel
	path, message := "/v1/sessions/"+t.id+"/messages", map[string]any{"text": text}
	if len(t.files) > 0 {
		message["file_ids"] = t.files
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
			t.screen.dim("session %s", session.ID)
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

// firstLine is what a session is called that has no name.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return jsonbody.Cut(first, 60)
}

func (t *talk) accepted(receipt *api.MessageAccepted) {
	t.files = nil
	t.trouble, t.awaited = "", receipt.EventSeq
	if receipt.Message.Status == "queued" && !t.script && receipt.Session.Status == api.StatusRunning {
		t.screen.dim("(waits its turn)")
	}
}

// unsent: a message was refused, or given up. A person has it back.
func (t *talk) unsent(text string, err error) error {
	t.stopping = false
	if t.giveBack != nil {
		t.giveBack(text)
	}
	if errors.Is(err, context.Canceled) && !t.script {
		t.linked(link{})
		t.screen.dim("(given up; it is not certain that it did not arrive)")
		return nil
	}
	return t.failed(err)
}

// left: whoever leaves waits for a message that is on its way, as long as the server is there,
// and is told of one that did not arrive. Another Ctrl-C does not wait.
func (t *talk) left(signals <-chan os.Signal) error {
	for t.sending != nil && !t.lost {
		select {
		case then := <-t.calls:
			if err := then(); err != nil {
				return err
			}
		case l := <-t.links:
			t.linked(l)
		case <-t.events: // nobody looks any more
		case <-signals:
			t.lost = true
		}
	}
	if t.sending == nil {
		return nil
	}
	return errors.New("it is not certain that your last message arrived: the server did not answer")
}

// failed tells a person of an error and goes on; for a script it is the end.
func (t *talk) failed(err error) error {
	if t.script {
		return err
	}
	t.screen.line("! %v", err)
	return nil
}

// interrupted is Ctrl-C: the first interrupts what goes on, the next leaves. Whoever ends
// the process from outside is not asked twice.
func (t *talk) interrupted(ctx context.Context, s os.Signal) error {
	if s != syscall.SIGTERM && cancelEdit(t) {
		return nil
	}
	resting := t.id == "" || t.status == api.StatusIdle || t.status == api.StatusEnded
	switch {
	case s == syscall.SIGTERM, t.pressed, resting && t.sending == nil && t.giveBack == nil:
		return errLeave
	case t.sending != nil && t.lost:
		t.sending()
	case t.sending != nil && resting: // what it begins is interrupted then
		t.screen.dim("(interrupting; Ctrl-C again leaves)")
		t.stopping = true
	case resting:
		t.screen.dim("(Ctrl-C again leaves, and so does Ctrl-D)")
	default:
		t.screen.dim("(interrupting; Ctrl-C again leaves)")
		t.pressed = true
		return t.interrupt(ctx)
	}
	t.pressed = true
	return nil
}

func (t *talk) interrupt(ctx context.Context) error {
	if t.id == "" {
		return nil
	}
	path := "/v1/sessions/" + t.id + "/interrupt"
	return t.later(ctx, func() error { return t.client.call(ctx, http.MethodPost, path, nil, nil) }, func(err error) error {
		if err != nil && codeOf(err) != "wrong_phase" { // that one had come to rest by itself
			t.screen.line("! %v", err)
		}
		return nil
	})
}
