package openai

import (
	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// round follows one round of a session by its events.
type round struct {
	message     string // id of the user message that began it, or of the message with tool results
	id          string // "" while the message is queued
	sink        textSink
	onReasoning func(string)
	usage       api.Usage

	ended       bool
	endedSeq    int64         // sequence number of the event that ended it
	approvalID  string        // id of the approval that it waits for
	stopAtCalls bool          // it is followed only up to calls of the client's tools
	atCalls     bool          // it has reached them
	rejected    *api.Approval // the actions that it ends with, if they were not approved
	notice      string        // the text about them
	failure     string        // the error of the provider
	final       bool          // the same request would fail again
	truncated   bool          // the answer reached a limit
	withdrawn   bool          // the message was withdrawn
	superseded  bool          // after a failure the session has begun another round
	interrupted bool          // by a person
}

// textSink receives the text of a round's answers.
type textSink interface {
	// callStarted reports the sequence number of the event that began a call of the AI, to which the
	// following text belongs.
	callStarted(seq int64)
	// textDelta is a part of the text of a message that is being generated; textSnapshot all of it
	// so far.
	textDelta(message string, offset int, text string)
	textSnapshot(message, text string)
	// stored is called for a message in the record.
	stored(m *storedText)
	// discard is called for streamed text that will not become a message.
	discard()
}

// storedText is a message of a round in the record.
type storedText struct {
	seq      int64 // sequence number of its event
	id, text string
	cut      bool // it was interrupted or broke off
}

// handle handles an event.
func (r *round) handle(e *api.Event) {
	if r.settled() {
		return // the events that follow belong to another round
	}
	was := r.ended
	r.apply(e)
	if r.ended && !was {
		r.endedSeq = e.SessionSeq
	}
	if p := e.Phase; p != nil && p.Phase == domain.CallingAI && r.id != "" && api.Value(p.RoundID) == r.id {
		r.sink.callStarted(e.SessionSeq)
	}
}

func (r *round) apply(e *api.Event) {
	switch {
	case r.ended && r.failure != "":
		r.afterFailure(e)
	case e.Name == string(domain.LogSessionEnded):
		r.ended = true
	case e.Message != nil && e.Message.ID == r.message:
		r.messagePlaced(e)
	case r.id == "":
		// The message is queued behind others.
	case e.Text != nil:
		r.delta(e)
	case e.Discarded != nil:
		r.sink.discard()
	case e.Message != nil && api.Value(e.Message.RoundID) == r.id && e.Name == string(domain.LogMessageCreated):
		r.messageStored(e)
	case e.Roundtrip != nil && e.Roundtrip.RoundID == r.id:
		r.usage.Add(e.Roundtrip.Usage)
	case e.Name == string(domain.LogApprovalSettled):
		r.approvalSettled(e.Approval)
	case e.Approval != nil:
		r.approvalID, r.atCalls = e.Approval.ID, r.stopAtCalls && e.Approval.Kind == domain.ApprovalClientCalls
	case e.Phase != nil:
		r.phaseChanged(e.Phase)
	case e.Session != nil && e.Session.Status == domain.StatusRequiresAction:
		r.ended = true
	}
}

// settled reports whether the round cannot continue.
func (r *round) settled() bool {
	return r.ended && (r.atCalls || r.approvalID == "" && r.failure == "")
}

// approvalSettled handles the answer to an approval. After actions that were not approved, the AI
// may not be called again.
func (r *round) approvalSettled(a *api.Approval) {
	no := a.Status == domain.ApprovalStatusRefused || a.Status == domain.ApprovalStatusExpired
	if r.rejected = nil; no && a.Kind == domain.ApprovalActions {
		r.rejected = a
	}
}

// afterFailure handles events after a failure: the round is retried, or another one begins.
func (r *round) afterFailure(e *api.Event) {
	switch p := e.Phase; {
	case p == nil:
	case p.Event == (domain.RoundRequested{}).Name(), p.Event == (domain.SessionActivationRequested{}).Name():
		r.id, r.failure, r.ended = api.Value(p.RoundID), "", false
	case api.Value(p.RoundID) == r.id:
	default:
		r.superseded = true
	}
}

// messagePlaced handles the message leaving the queue, or being withdrawn.
func (r *round) messagePlaced(e *api.Event) {
	switch {
	case e.Name == string(domain.LogMessageDeleted):
		r.withdrawn, r.ended = true, true
	case e.Message.Status != api.MessageStatusQueued:
		r.id = api.Value(e.Message.RoundID)
	}
}

func (r *round) delta(e *api.Event) {
	switch d := e.Text; d.Kind {
	case stream.KindThinking:
		if e.Name == stream.EventDelta && r.onReasoning != nil {
			r.onReasoning(d.Text)
		}
	case stream.KindText:
		if e.Name == stream.EventMessageSnapshot {
			r.sink.textSnapshot(d.MessageID, d.Text)
		} else {
			r.sink.textDelta(d.MessageID, d.Offset, d.Text)
		}
	}
}

// messageStored handles a message of the round in the record.
func (r *round) messageStored(e *api.Event) {
	m := e.Message
	switch {
	case m.Sender == api.MessageSenderAI:
		cut := m.Status == api.MessageStatusInterrupted
		r.sink.stored(&storedText{seq: e.SessionSeq, id: m.ID, text: m.ShownText(), cut: cut})
		r.interrupted = r.interrupted || cut && (m.AiRaw == nil || m.AiRaw.StopReason == "")
		r.truncated = m.AiRaw != nil && (m.AiRaw.StopReason == domain.StopLength || m.AiRaw.StopReason == domain.StopUnknown)
	case m.SystemMessage == nil:
	case m.SystemMessage.Type == domain.SystemNetworkError:
		r.failure = m.SystemMessage.Why()
	case m.SystemMessage.Type == domain.SystemLimitReached:
		r.sink.stored(&storedText{seq: e.SessionSeq, id: m.ID, text: m.SystemMessage.Summary})
		r.truncated = true
	}
}

// phaseChanged handles a phase of the session.
func (r *round) phaseChanged(p *api.SessionPhaseData) {
	switch of := api.Value(p.RoundID); {
	case p.Status == domain.StatusRequiresAction && of == r.id:
		r.ended = true
	case of != r.id, p.Phase == domain.Idle, p.Phase == domain.Completed:
		r.ended, r.approvalID = true, ""
		r.interrupted = r.interrupted || p.Event == (domain.InterruptRequested{}).Name() || p.Event == (domain.StopRequested{}).Name()
		r.final = r.failure != "" && p.Event == (domain.SystemErrorOccurred{}).Name()
	default:
		r.ended, r.approvalID, r.rejected = false, "", nil // an approval may have been answered
	}
}

// textMerger sends the text of a round's answers once: a call that is repeated generates the same text
// again.
type textMerger struct {
	rounds.TextMerger
	emit    func(string)
	sentAny bool // something was sent
}

func newTextMerger(emit func(string)) *textMerger {
	return &textMerger{emit: emit, TextMerger: rounds.TextMerger{StreamJSON: true}}
}

func (t *textMerger) textDelta(message string, offset int, text string) {
	first := t.Sent() == ""
	more, restarted := t.Add(message, offset, text)
	t.send(more, first || restarted)
}

func (t *textMerger) textSnapshot(message, text string) { t.textDelta(message, 0, text) }

// stored sends the rest of an answer. Of one that is the beginning of what was sent, there is none.
func (t *textMerger) stored(m *storedText) {
	first := t.Sent() == ""
	more, restarted := t.Complete(m.id, m.text, true)
	t.send(more, first || restarted)
}

// callStarted does nothing: chat clients are not informed of calls. discard does nothing either: the next
// answer continues after the text that it shares with the discarded one.
func (t *textMerger) callStarted(int64) {}
func (t *textMerger) discard()          {}

// send sends text. begins reports that it does not continue the text before it.
func (t *textMerger) send(text string, begins bool) {
	if text == "" {
		return
	}
	if begins && t.sentAny {
		text = separator + text
	}
	t.sentAny = true
	t.emit(text)
}
