package openai

import (
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// round follows one round of a session through its events.
type round struct {
	message string // of the user, which began it, or of the results of tools that it goes on with
	id      string // "" while the message waits its turn
	told    teller
	thought func(string)
	usage   tokens

	over     bool
	overAt   int64          // the session's own number of the event with which it was over
	approval string         // what a person is asked, where it waits for that
	toCalls  bool           // it is followed to where it calls tools of the client, and no further
	calls    bool           // it has come to that
	refused  *eventApproval // actions that it ends with, which a person did not approve
	words    string         // what is told of them
	failure  string         // what the provider said, where it failed
	final    bool           // of a failure: the same request would fail again
	cut      bool           // the answer reached its longest
	gone     bool           // the message was withdrawn
	passed   bool           // after a failure the session has gone on with something else
	stopped  bool           // a person cut it
}

// teller is told of the text of a round's answers, as it comes.
type teller interface {
	// called: the event of this number began a call of the AI. Text that comes is of it.
	called(seq int64)
	// more is a piece of the text of a message that is being written, whole all of it so far.
	more(message string, offset int, text string)
	whole(message, text string)
	// stored: a message is in the record.
	stored(m *saying)
	// discard: what was streamed will not become a message.
	discard()
}

// saying is a message of a round as it stands in the record.
type saying struct {
	seq      int64 // the session's own number of the event that brought it
	id, text string
	cut      bool // a person cut it, or it broke off
}

// take learns from an event.
func (r *round) take(e *event) {
	if r.settled() {
		return // what follows is of another round
	}
	was := r.over
	r.learn(e)
	if r.over && !was {
		r.overAt = e.SessionSeq
	}
	if e.name == string(domain.LogSessionPhase) && e.Phase == domain.CallingAI && r.id != "" && e.RoundID == r.id {
		r.told.called(e.SessionSeq)
	}
}

func (r *round) learn(e *event) {
	switch {
	case r.over && r.failure != "":
		r.afterFailure(e)
	case e.name == string(domain.LogSessionEnded):
		r.over = true
	case e.Message != nil && e.Message.ID == r.message:
		r.placed(e)
	case r.id == "":
		// Others are before it.
	case e.name == stream.EventDelta || e.name == stream.EventMessageSnapshot:
		r.streamed(e)
	case e.name == stream.EventDiscarded:
		r.told.discard()
	case e.Message != nil && e.Message.RoundID == r.id && e.name == string(domain.LogMessageCreated):
		r.said(e)
	case e.Roundtrip != nil && e.Roundtrip.RoundID == r.id:
		r.usage = r.usage.plus(e.Roundtrip.Usage)
	case e.name == string(domain.LogApprovalSettled):
		r.answered(e.Approval)
	case e.Approval != nil:
		r.approval, r.calls = e.Approval.ID, r.toCalls && e.Approval.Kind == domain.ApprovalClientCalls
	case e.name == string(domain.LogSessionPhase):
		r.moved(e)
	case e.Session != nil && e.Session.Status == domain.StatusRequiresAction:
		r.over = true
	}
}

// settled: nothing more comes of this round.
func (r *round) settled() bool { return r.over && (r.calls || r.approval == "" && r.failure == "") }

// answered: what was asked is settled. Of actions that were not approved the AI may say nothing.
func (r *round) answered(a *eventApproval) {
	no := a.Status == domain.ApprovalStatusRefused || a.Status == domain.ApprovalStatusExpired
	if r.refused = nil; no && a.Kind == domain.ApprovalActions {
		r.refused = a
	}
}

// afterFailure: the round is run again, at once or when the session has the slot; or another
// one is.
func (r *round) afterFailure(e *event) {
	switch {
	case e.name != string(domain.LogSessionPhase):
	case e.Event == (domain.RoundRequested{}).Name(), e.Event == (domain.SessionActivationRequested{}).Name():
		r.id, r.failure, r.over = e.RoundID, "", false
	case e.RoundID == r.id:
	default:
		r.passed = true
	}
}

// placed: the message has its place, and with it its round; or it will have none.
func (r *round) placed(e *event) {
	switch {
	case e.name == string(domain.LogMessageDeleted):
		r.gone, r.over = true, true
	case e.Message.Status != domain.MessageQueued:
		r.id = e.Message.RoundID
	}
}

func (r *round) streamed(e *event) {
	switch e.Kind {
	case stream.KindThinking:
		if e.name == stream.EventDelta && r.thought != nil {
			r.thought(e.Text)
		}
	case stream.KindText:
		if e.name == stream.EventMessageSnapshot {
			r.told.whole(e.MessageID, e.Text)
		} else {
			r.told.more(e.MessageID, e.Offset, e.Text)
		}
	}
}

// said: a message of the round is in the record.
func (r *round) said(e *event) {
	m := e.Message
	switch {
	case m.Sender == domain.SenderAI:
		cut := m.Status == domain.MessageInterrupted
		r.told.stored(&saying{seq: e.SessionSeq, id: m.ID, text: m.shownText(), cut: cut})
		r.stopped = r.stopped || cut && (m.Raw == nil || m.Raw.StopReason == "")
		r.cut = m.Raw != nil && (m.Raw.StopReason == domain.StopLength || m.Raw.StopReason == domain.StopUnknown)
	case m.System == nil:
	case m.System.Type == domain.SystemNetworkError:
		failed := domain.SystemMessage{Summary: m.System.Summary, Detail: m.System.Detail}
		r.failure = failed.Why()
	case m.System.Type == domain.SystemLimitReached:
		r.told.stored(&saying{seq: e.SessionSeq, id: m.ID, text: m.System.Summary})
		r.cut = true
	}
}

// moved: the session has gone on, or come to rest.
func (r *round) moved(e *event) {
	switch {
	case e.Status == domain.StatusRequiresAction && e.RoundID == r.id:
		r.over = true
	case e.RoundID != r.id, e.Phase == domain.Idle, e.Phase == domain.Completed:
		r.over, r.approval = true, ""
		r.stopped = r.stopped || e.Event == (domain.InterruptRequested{}).Name() || e.Event == (domain.StopRequested{}).Name()
		r.final = r.failure != "" && e.Event == (domain.SystemErrorOccurred{}).Name()
	default:
		r.over, r.approval, r.refused = false, "", nil // perhaps a person has answered
	}
}

// telling gives on the text of a round's answers, none of it twice: what a call that was cut
// had said is said again by the next one.
type telling struct {
	emit func(string)
	any  bool // something was told
	// Of the answer that is being told: its message, what is known of it, and what of it the
	// client has.
	message string
	text    strings.Builder
	chars   int
	has     string
	inStep  bool // what the client has is what is known
	ended   bool
}

// begin goes over to another message.
func (t *telling) begin(message string) {
	if t.message == message {
		return
	}
	if t.ended {
		t.has, t.ended = "", false
	}
	t.message, t.chars, t.inStep = message, 0, false
	t.text.Reset()
}

func (t *telling) more(message string, offset int, text string) {
	t.begin(message)
	if t.ended || offset != t.chars {
		return // the message itself brings what is missing here
	}
	t.text.WriteString(text)
	t.chars += utf8.RuneCountInString(text)
	if t.inStep {
		t.has = t.text.String()
		t.emit(text)
		return
	}
	t.give(t.text.String())
}

func (t *telling) whole(message, text string) {
	t.begin(message)
	if t.ended || utf8.RuneCountInString(text) < t.chars {
		return
	}
	t.text.Reset()
	t.text.WriteString(text)
	t.chars = utf8.RuneCountInString(text)
	t.give(text)
}

func (t *telling) stored(m *saying) {
	t.begin(m.id)
	t.give(m.text)
	t.ended = true
}

// called: a chat client is told nothing of calls.
func (t *telling) called(int64) {}

func (t *telling) discard() { t.message = "" }

// shownText is what a client is shown of a message.
func (m *eventMessage) shownText() string {
	stored := domain.Message{Sender: m.Sender, Text: m.Text}
	if m.AI != nil {
		stored.AI = &domain.AIMessage{PreText: m.AI.PreText}
	}
	return shownText(&stored)
}

// give tells what the client does not have of a text that has come so far.
func (t *telling) give(text string) {
	var news string
	switch {
	case text == "" || strings.HasPrefix(t.has, text):
		return // an answer that is made again has not come as far yet
	case t.has == "" && t.any:
		news = separator + text
	case strings.HasPrefix(text, t.has):
		news = text[len(t.has):]
	default:
		news = separator + text // it has become another one
	}
	t.has, t.any, t.inStep = text, true, true
	t.emit(news)
}
