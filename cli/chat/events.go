package chat

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// join continues an existing session: its last messages, its open questions, then its events.
func (t *chatLoop) join(ctx context.Context, id string) error {
	var session api.Session
	if err := t.client.Call(ctx, http.MethodGet, "/v1/sessions/"+id, nil, &session); err != nil {
		return err
	}
	if session.Type != api.TypeChat {
		return fmt.Errorf(
			"%s is of type %s; only a CHAT can be continued (to watch it: fermata tail --session %s)",
			id,
			session.Type,
			id,
		)
	}
	t.id = session.ID
	if err := t.catchUp(ctx, !t.script); err != nil {
		return err
	}
	if err := t.findOpen(ctx); err != nil {
		return err
	}
	if t.script && session.Status != api.StatusIdle && session.Status != api.StatusEnded {
		t.awaited = session.LastSeq // its round is running: the next line follows it
	}
	return t.follow(ctx, &session)
}

// follow follows the session's events from its current state.
func (t *chatLoop) follow(ctx context.Context, session *api.Session) error {
	t.id, t.phase, t.status = session.ID, session.Phase, session.Status
	f := &remote.Follower{
		Client: t.client, Path: "/v1/sessions/" + t.id + "/events", Cursor: session.LastSeq, Pause: t.client.Pause,
		Take: func(e remote.Event) error {
			select {
			case t.events <- e:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
		Found: func() { t.notifyLink(ctx, link{}) },
		Lost:  func(err error) { t.notifyLink(ctx, link{err}) },
		// The session exists: a server that is unreachable at this moment is waited for.
		Opened: !t.script,
	}
	t.done, t.stopped = make(chan error, 1), make(chan struct{})
	go func() {
		defer close(t.stopped)
		t.done <- f.Run(ctx)
	}()
	if !t.script {
		return nil
	}
	select {
	case l := <-t.links:
		t.linked(l)
	case err := <-t.done:
		return err
	}
	return nil
}

func (t *chatLoop) notifyLink(ctx context.Context, l link) {
	select {
	case t.links <- l:
	case <-ctx.Done():
	}
}

// leave waits for the follower and for calls, which the cancelled context has stopped.
func (t *chatLoop) leave() {
	t.beside.Wait()
	if t.stopped != nil {
		<-t.stopped
	}
}

func (t *chatLoop) linked(l link) {
	switch {
	case l.err != nil && t.sending != nil:
		t.screen.Pass("server unreachable; your message is kept and sent later")
	case l.err != nil:
		t.screen.Pass("connection lost; reconnecting")
	case t.lost:
		t.screen.Pass("")
	}
	t.lost = l.err != nil
}

// take handles one event.
func (t *chatLoop) take(ctx context.Context, sent remote.Event) error {
	if t.print != nil {
		if err := t.print(sent); err != nil {
			return err
		}
	}
	e, err := api.DecodeEvent(sent.Name, sent.Data)
	if err != nil {
		return fmt.Errorf("this version of fermata does not support an event of the server: %w", err)
	}
	switch e.Name {
	case "snapshot":
		return t.snapshot(ctx, sent.ID, e.Session)
	case "session.phase":
		t.entered(sent.ID, e.Phase)
	case "session.status", "session.ended":
		t.showStatus(sent.ID, e.Session)
	case "message.created":
		t.message(e.Message)
	case "message.delta", "message.snapshot":
		offset := e.Text.Offset
		if e.Name == "message.snapshot" {
			offset = 0 // it has all of the text
		}
		if e.Text.Kind == "text" {
			t.replaced(e.Text.MessageID)
			t.screen.Text(t.live.add(e.Text.MessageID, offset, e.Text.Text))
		}
	case "message.discarded":
		if t.live.drop(e.Discarded.MessageID) {
			t.screen.End()
			t.screen.Dim("(the text above is discarded: %s; the call is repeated)", e.Discarded.Reason)
		}
	case "approval.requested":
		t.asked(e.Approval)
	case "approval.settled":
		t.settled(e.Approval)
	case "notice":
		if e.Notice.Level != "error" && e.Notice.Code != "limit_reached" { // those are in the record too
			t.screen.Dim("(%s)", e.Notice.Text)
		}
	}
	return nil
}

// snapshot handles an invalid or expired cursor: the missed messages are read.
func (t *chatLoop) snapshot(ctx context.Context, seq int64, found *api.Session) error {
	if err := t.catchUp(ctx, true); err != nil {
		return err
	}
	t.open, t.prompted = nil, nil
	t.screen.Ask("")
	if err := t.findOpen(ctx); err != nil {
		return err
	}
	t.showStatus(seq, found)
	return nil
}

// catchUp displays the messages that were not displayed yet; with show false it only counts them.
func (t *chatLoop) catchUp(ctx context.Context, show bool) error {
	for {
		var page api.MessageList
		path := "/v1/sessions/" + t.id + "/messages?limit=200&after=" + strconv.FormatInt(t.shown, 10)
		if err := t.client.Call(ctx, http.MethodGet, path, nil, &page); err != nil {
			return err
		}
		for i := range page.Data {
			m := &page.Data[i]
			if !show {
				t.shown = max(t.shown, placed(m))
				continue
			}
			if m.Sender == "USER" && placed(m) > t.shown {
				t.screen.Line("> %s", command.UserText(m))
			}
			t.message(m)
		}
		if page.NextCursor == nil || len(page.Data) == 0 {
			return nil
		}
	}
}

func (t *chatLoop) findOpen(ctx context.Context) error {
	var page api.ApprovalList
	if err := t.client.Call(ctx, http.MethodGet, "/v1/approvals?status=open&limit=200", nil, &page); err != nil {
		return err
	}
	for i := range page.Data {
		if page.Data[i].SessionID == t.id {
			t.asked(&page.Data[i])
		}
	}
	return nil
}

func placed(m *api.Message) int64 {
	if m.Seq == nil {
		return 0
	}
	return *m.Seq
}

// phaseWords describe the current activity; very short phases have none.
var phaseWords = map[api.Phase]string{
	api.ExecutingEnrichments: "reads your references", api.CompactingContext: "summarises earlier messages",
	api.CallingAI: "thinks", api.ExecutingDataQueries: "looks up your data", api.ExecutingActions: "makes the changes",
	api.WaitingExternalResult: "waits for an external result", api.WaitingNetworkRetry: "waits to retry the network",
	api.RetryingAfterFormatError: "asks for a correction", api.RetryingAfterActionFailure: "reports a failed change",
}

func (t *chatLoop) entered(seq int64, d *api.SessionPhaseData) {
	t.phase, t.status = d.Phase, d.Status
	if words := phaseWords[d.Phase]; words != "" || waits(t.status) {
		t.screen.Pass(words)
	}
	t.rested(seq)
}

func (t *chatLoop) showStatus(seq int64, s *api.Session) {
	t.phase, t.status = s.Phase, s.Status
	switch {
	case s.Status == api.StatusQueued:
		t.screen.Pass("waits in the queue")
	case waits(t.status):
		t.screen.Pass("")
	}
	t.rested(seq)
}

// waits reports whether a session waits for input.
func waits(s api.SessionStatus) bool { return s != api.StatusRunning && s != api.StatusQueued }

// rested handles the end of our message's round.
func (t *chatLoop) rested(seq int64) {
	if t.awaited == 0 || seq <= t.awaited || (t.status != api.StatusIdle && t.status != api.StatusEnded) {
		return
	}
	t.awaited, t.pressed = 0, false
	t.screen.End()
	if t.status == api.StatusEnded {
		t.trouble = "the session has ended"
	}
}

// message displays a stored message.
func (t *chatLoop) message(m *api.Message) {
	if seq := placed(m); seq == 0 || seq <= t.shown {
		return
	}
	t.shown = placed(m)
	switch {
	case m.Sender == "AI":
		t.answer(m)
	case m.SystemMessage != nil:
		t.report(m.SystemMessage)
	}
}

// replaced handles a new answer although the previous one never became a message: its end was missed, for
// example because the server was killed.
func (t *chatLoop) replaced(id string) {
	if before := t.live.id; before != "" && before != id && t.live.drop(before) {
		t.screen.End()
		t.screen.Dim("(the text above is discarded; the call is repeated)")
	}
}

func (t *chatLoop) answer(m *api.Message) {
	t.replaced(m.ID)
	text := api.Value(m.TextContent)
	if m.AiMessage != nil && m.AiMessage.PreText != api.InvalidFormatText {
		text = strings.TrimSuffix(m.AiMessage.PreText+"\n\n"+text, "\n\n")
	}
	rest, begun := t.live.finish(m.ID, text, m.Status == "interrupted")
	if begun {
		t.screen.Text(rest)
	} else if rest != "" {
		t.screen.End()
		t.screen.Text(rest)
	}
	t.screen.End()
	switch {
	case m.Status == "interrupted" && m.AiMessage != nil && m.AiMessage.StopReason != "":
		t.screen.Dim("(interrupted)")
	case m.Status == "interrupted":
		t.screen.Dim("(interrupted)")
	case m.AiMessage != nil && m.AiMessage.StopReason == "length":
		t.screen.Dim("(cut at the length limit)")
	}
}

func (t *chatLoop) report(s *api.SystemMessage) {
	switch s.Type {
	case api.SystemNetworkError, api.SystemLimitReached, api.SystemSessionTimeout:
		t.trouble = s.Summary
		t.screen.Line("! %s", s.Summary)
		if detail := api.Value(s.Detail); detail != "" {
			t.screen.Dim("  %s", detail)
		}
		return
	case api.SystemValidationCancelled, api.SystemCommunicationCancelled:
		return // written before the wait, and only true if it is rejected: the card shows it
	case api.SystemContextSummary:
		t.screen.Dim("(earlier messages were summarised)")
		return
	}
	for _, r := range s.CommandResults {
		text := r.Summary
		if text == "" {
			text = r.Command
		}
		if r.Error != nil && !strings.Contains(text, r.Error.Message) {
			text += ": " + r.Error.Message
		}
		t.screen.Dim("  %s %s", resultMark[r.Status], text)
	}
}

var resultMark = map[api.ExecutionStatus]string{
	api.ExecSuccess: "✓", api.ExecFailed: "✗", api.ExecCancelled: "–",
	api.ExecCached: "=", api.ExecPending: "…", api.ExecUnknown: "?",
}
