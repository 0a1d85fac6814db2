package openai

import (
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// round follows one round of a session through its events.
type round struct {
	message     string // of the user, which began it, or of the results of tools that it goes on with
	id          string // "" while the message waits its turn
	sink        textSink
	onReasoning func(string)
	usage       tokens

	ended       bool
	endedSeq    int64          // the session's own number of the event with which it was over
	approvalID  string         // what a person is asked, where it waits for that
	stopAtCalls bool           // it is followed to where it calls tools of the client, and no further
	atCalls     bool           // it has come to that
	rejected    *eventApproval // actions that it ends with, which a person did not approve
	notice      string         // what is told of them
	failure     string         // what the provider said, where it failed
	final       bool           // of a failure: the same request would fail again
	truncated   bool           // the answer reached its longest
	withdrawn   bool           // the message was withdrawn
	superseded  bool           // after a failure the session has gone on with something else
	interrupted bool           // a person cut it
}

// teller is told of the text of a round's answers, as it comes.
type textSink interface {
	// called: the event of this number began a call of the AI. Text that comes is of it.
	callStarted(seq int64)
	// more is a piece of the text of a message that is being written, whole all of it so far.
	textDelta(message string, offset int, text string)
	textSnapshot(message, text string)
	// stored: a message is in the record.
	stored(m *storedText)
	// discard: what was streamed will not become a message.
	discard()
}

// saying is a message of a round as it stands in the record.
type storedText struct {
	seq      int64 // the session's own number of the event that brought it
	id, text string
	cut      bool // a person cut it, or it broke off
}

// take learns from an event.
func (r *round) handle(e *event) {
	if r.settled() {
		return // what follows is of another round
	}
	was := r.ended
	r.apply(e)
	if r.ended && !was {
		r.endedSeq = e.SessionSeq
	}
	if e.name == string(domain.LogSessionPhase) && e.Phase == domain.CallingAI && r.id != "" && e.RoundID == r.id {
		r.sink.callStarted(e.SessionSeq)
	}
}

func (r *round) apply(e *event) {
	switch {
	case r.ended && r.failure != "":
		r.afterFailure(e)
	case e.name == string(domain.LogSessionEnded):
		r.ended = true
	case e.Message != nil && e.Message.ID == r.message:
		r.messagePlaced(e)
	case r.id == "":
		// Others are before it.
	case e.name == stream.EventDelta || e.name == stream.EventMessageSnapshot:
		r.delta(e)
	case e.name == stream.EventDiscarded:
		r.sink.discard()
	case e.Message != nil && e.Message.RoundID == r.id && e.name == string(domain.LogMessageCreated):
		r.messageStored(e)
	case e.Roundtrip != nil && e.Roundtrip.RoundID == r.id:
		r.usage = r.usage.plus(e.Roundtrip.Usage)
	case e.name == string(domain.LogApprovalSettled):
		r.approvalSettled(e.Approval)
	case e.Approval != nil:
		r.approvalID, r.atCalls = e.Approval.ID, r.stopAtCalls && e.Approval.Kind == domain.ApprovalClientCalls
	case e.name == string(domain.LogSessionPhase):
		r.phaseChanged(e)
	case e.Session != nil && e.Session.Status == domain.StatusRequiresAction:
		r.ended = true
	}
}

// settled: nothing more comes of this round.
func (r *round) settled() bool {
	return r.ended && (r.atCalls || r.approvalID == "" && r.failure == "")
}

// answered: what was asked is settled. Of actions that were not approved the AI may say nothing.
func (r *round) approvalSettled(a *eventApproval) {
	no := a.Status == domain.ApprovalStatusRefused || a.Status == domain.ApprovalStatusExpired
	if r.rejected = nil; no && a.Kind == domain.ApprovalActions {
		r.rejected = a
	}
}

// afterFailure: the round is run again, at once or when the session has the slot; or another
// one is.
func (r *round) afterFailure(e *event) {
	switch {
	case e.name != string(domain.LogSessionPhase):
	case e.Event == (domain.RoundRequested{}).Name(), e.Event == (domain.SessionActivationRequested{}).Name():
		r.id, r.failure, r.ended = e.RoundID, "", false
	case e.RoundID == r.id:
	default:
		r.superseded = true
	}
}

// placed: the message has its place, and with it its round; or it will have none.
func (r *round) messagePlaced(e *event) {
	switch {
	case e.name == string(domain.LogMessageDeleted):
		r.withdrawn, r.ended = true, true
	case e.Message.Status != domain.MessageQueued:
		r.id = e.Message.RoundID
	}
}

func (r *round) delta(e *event) {
	switch e.Kind {
	case stream.KindThinking:
		if e.name == stream.EventDelta && r.onReasoning != nil {
			r.onReasoning(e.Text)
		}
	case stream.KindText:
		if e.name == stream.EventMessageSnapshot {
			r.sink.textSnapshot(e.MessageID, e.Text)
		} else {
			r.sink.textDelta(e.MessageID, e.Offset, e.Text)
		}
	}
}

// said: a message of the round is in the record.
func (r *round) messageStored(e *event) {
	m := e.Message
	switch {
	case m.Sender == domain.SenderAI:
		cut := m.Status == domain.MessageInterrupted
		r.sink.stored(&storedText{seq: e.SessionSeq, id: m.ID, text: m.shownText(), cut: cut})
		r.interrupted = r.interrupted || cut && (m.Raw == nil || m.Raw.StopReason == "")
		r.truncated = m.Raw != nil && (m.Raw.StopReason == domain.StopLength || m.Raw.StopReason == domain.StopUnknown)
	case m.System == nil:
	case m.System.Type == domain.SystemNetworkError:
		failed := domain.SystemMessage{Summary: m.System.Summary, Detail: m.System.Detail}
		r.failure = failed.Why()
	case m.System.Type == domain.SystemLimitReached:
		r.sink.stored(&storedText{seq: e.SessionSeq, id: m.ID, text: m.System.Summary})
		r.truncated = true
	}
}

// moved: the session has gone on, or come to rest.
func (r *round) phaseChanged(e *event) {
	switch {
	case e.Status == domain.StatusRequiresAction && e.RoundID == r.id:
		r.ended = true
	case e.RoundID != r.id, e.Phase == domain.Idle, e.Phase == domain.Completed:
		r.ended, r.approvalID = true, ""
		r.interrupted = r.interrupted || e.Event == (domain.InterruptRequested{}).Name() || e.Event == (domain.StopRequested{}).Name()
		r.final = r.failure != "" && e.Event == (domain.SystemErrorOccurred{}).Name()
	default:
		r.ended, r.approvalID, r.rejected = false, "", nil // perhaps a person has answered
	}
}

// telling gives on the text of a round's answers, none of it twice: what a call that was cut
// had said is said again by the next one.
type textMerger struct {
	emit    func(string)
	sentAny bool // something was told
	// Of the answer that is being told: its message, what is known of it, and what of it the
	// client has.
	message string
	text    strings.Builder
	chars   int
	sent    string
	inSync  bool // what the client has is what is known
	ended   bool
}

// begin goes over to another message.
func (t *textMerger) startMessage(message string) {
	if t.message == message {
		return
	}
	if t.ended {
		t.sent, t.ended = "", false
	}
	t.message, t.chars, t.inSync = message, 0, false
	t.text.Reset()
}

func (t *textMerger) textDelta(message string, offset int, text string) {
	t.startMessage(message)
	if t.ended || offset != t.chars {
		return // the message itself brings what is missing here
	}
	t.text.WriteString(text)
	t.chars += utf8.RuneCountInString(text)
	if t.inSync {
		t.sent = t.text.String()
		t.emit(text)
		return
	}
	t.send(t.text.String())
}

func (t *textMerger) textSnapshot(message, text string) {
	t.startMessage(message)
	if t.ended || utf8.RuneCountInString(text) < t.chars {
		return
	}
	t.text.Reset()
	t.text.WriteString(text)
	t.chars = utf8.RuneCountInString(text)
	t.send(text)
}

func (t *textMerger) stored(m *storedText) {
	t.startMessage(m.id)
	t.send(m.text)
	t.ended = true
}

// called: a chat client is told nothing of calls.
func (t *textMerger) callStarted(int64) {}

func (t *textMerger) discard() { t.message = "" }

// shownText is what a client is shown of a message.
func (m *eventMessage) shownText() string {
	stored := domain.Message{Sender: m.Sender, Text: m.Text}
	if m.AI != nil {
		stored.AI = &domain.AIMessage{PreText: m.AI.PreText}
	}
	return visibleText(&stored)
}

// give tells what the client does not have of a text that has come so far.
func (t *textMerger) send(text string) {
	var rest string
	switch {
	case text == "" || strings.HasPrefix(t.sent, text):
		return // an answer that is made again has not come as far yet
	case t.sent == "" && t.sentAny:
		rest = separator + text
	case strings.HasPrefix(text, t.sent):
		rest = text[len(t.sent):]
	default:
		rest = separator + text // it has become another one
	}
	t.sent, t.sentAny, t.inSync = text, true, true
	t.emit(rest)
}
