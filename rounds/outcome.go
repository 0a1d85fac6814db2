package rounds

import (
	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// Outcome is how a round ended, or what it waits for, according to its events. Unlike the record, they
// do not change when the session continues: a request that is repeated later has the same outcome.
type Outcome struct {
	Usage  api.Usage
	EndSeq int64 // session's sequence number of the event that ended the round
	// Approval is what the round waits for.
	Approval *domain.Approval
	Rejected *api.Approval      // the actions that it ended with, if they were not approved
	Notice   string             // the text about them
	Failure  string             // the error of the provider
	Code     domain.FailureCode // of the error
	Final    bool               // the same request would fail again

	Truncated   bool // the answer reached a limit
	Withdrawn   bool // the message was withdrawn
	Interrupted bool // by a person

	message     string // id of the message that began the round
	round       string // id of the round; "" while the message is queued
	ended       bool
	approvalID  string // id of the approval that it waits for
	stopAtCalls bool   // it is followed only up to calls of the client's tools
	atCalls     bool   // it has reached them
	superseded  bool   // after a failure the session has begun another round
}

// Err returns why there is no answer; nil if there is one.
func (o *Outcome) Err() error {
	switch {
	case o.Withdrawn:
		return domain.Errorf(domain.CodeConflict, "The message was withdrawn while it was queued.")
	case o.Failure != "" && o.Code == domain.FailureAnswerFormat:
		return domain.Errorf(domain.CodeAnswerSchema, "%s", o.Failure)
	case o.Failure != "":
		return domain.Errorf(domain.CodeProviderFailed, "%s", o.Failure)
	}
	return nil
}

// Running reports whether the round can be interrupted: it is not over, or may be retried.
func (o *Outcome) Running() bool { return !o.settled() || o.retryable() }

// settled reports whether the round cannot continue.
func (o *Outcome) settled() bool {
	return o.ended && (o.atCalls || o.approvalID == "" && o.Failure == "")
}

// waits reports whether the round waits for an approval.
func (o *Outcome) waits() bool { return o.ended && o.approvalID != "" }

// retryable reports whether the round failed, and the session has begun no other one.
func (o *Outcome) retryable() bool { return o.ended && o.Failure != "" && !o.superseded }

// take handles an event, and reports whether it is a part of the round: its text, a message, or the
// beginning of a call of the AI.
func (o *Outcome) take(e *api.Event) bool {
	if o.settled() {
		return false // the events that follow belong to another round
	}
	was := o.ended
	part := o.apply(e)
	if o.ended && !was {
		o.EndSeq = e.SessionSeq
	}
	return part || CallBegins(e) && o.round != "" && api.Value(e.Phase.RoundID) == o.round
}

// CallBegins reports whether an event of a round is the beginning of a call of the AI.
func CallBegins(e *api.Event) bool { return e.Phase != nil && e.Phase.Phase == domain.CallingAI }

func (o *Outcome) apply(e *api.Event) (part bool) {
	switch {
	case o.ended && o.Failure != "":
		o.afterFailure(e)
	case e.Name == string(domain.LogSessionEnded):
		o.ended = true
	case e.Message != nil && e.Message.ID == o.message:
		o.messagePlaced(e)
	case o.round == "":
		// The message is queued behind others.
	case e.Text != nil, e.Discarded != nil:
		return true
	case e.Message != nil && api.Value(e.Message.RoundID) == o.round && e.Name == string(domain.LogMessageCreated):
		o.messageStored(e.Message)
		return true
	case e.Roundtrip != nil && e.Roundtrip.RoundID == o.round:
		o.Usage.Add(e.Roundtrip.Usage)
	case e.Name == string(domain.LogApprovalSettled):
		o.approvalSettled(e.Approval)
	case e.Approval != nil:
		o.approvalID, o.atCalls = e.Approval.ID, o.stopAtCalls && e.Approval.Kind == domain.ApprovalClientCalls
	case e.Phase != nil:
		o.phaseChanged(e.Phase)
	case e.Session != nil && e.Session.Status == domain.StatusRequiresAction:
		o.ended = true
	}
	return false
}

// approvalSettled handles the answer to an approval. After actions that were not approved, the AI
// may not be called again.
func (o *Outcome) approvalSettled(a *api.Approval) {
	no := a.Status == domain.ApprovalStatusRefused || a.Status == domain.ApprovalStatusExpired
	if o.Rejected = nil; no && a.Kind == domain.ApprovalActions {
		o.Rejected = a
	}
}

// afterFailure handles events after a failure: the round is retried, or another one begins.
func (o *Outcome) afterFailure(e *api.Event) {
	switch p := e.Phase; {
	case p == nil:
	case p.Event == (domain.RoundRequested{}).Name(), p.Event == (domain.SessionActivationRequested{}).Name():
		o.round, o.Failure, o.ended = api.Value(p.RoundID), "", false
	case api.Value(p.RoundID) == o.round:
	default:
		o.superseded = true
	}
}

// messagePlaced handles the message leaving the queue, or being withdrawn.
func (o *Outcome) messagePlaced(e *api.Event) {
	switch {
	case e.Name == string(domain.LogMessageDeleted):
		o.Withdrawn, o.ended = true, true
	case e.Message.Status != api.MessageStatusQueued:
		o.round = api.Value(e.Message.RoundID)
	}
}

// messageStored handles a message of the round in the record.
func (o *Outcome) messageStored(m *api.Message) {
	switch {
	case m.Sender == api.MessageSenderAI:
		cut := m.Status == api.MessageStatusInterrupted
		o.Interrupted = o.Interrupted || cut && (m.AiRaw == nil || m.AiRaw.StopReason == "")
		o.Truncated = m.AiRaw != nil && (m.AiRaw.StopReason == domain.StopLength || m.AiRaw.StopReason == domain.StopUnknown)
	case m.SystemMessage == nil:
	case m.SystemMessage.Type == domain.SystemNetworkError:
		o.Failure, o.Code = m.SystemMessage.Why(), domain.FailureCode(api.Value(m.SystemMessage.Code))
	case m.SystemMessage.Type == domain.SystemLimitReached:
		o.Truncated = true
	}
}

// phaseChanged handles a phase of the session.
func (o *Outcome) phaseChanged(p *api.SessionPhaseData) {
	switch of := api.Value(p.RoundID); {
	case o.resumes(p):
	case p.Status == domain.StatusRequiresAction && of == o.round:
		o.ended = true
	case of != o.round, p.Phase == domain.Idle, p.Phase == domain.Completed:
		o.ended, o.approvalID = true, ""
		o.Interrupted = o.Interrupted || p.Event == (domain.InterruptRequested{}).Name() || p.Event == (domain.StopRequested{}).Name()
		o.Final = o.Failure != "" && p.Event == (domain.SystemErrorOccurred{}).Name()
	default:
		o.ended, o.approvalID, o.Rejected = false, "", nil // an approval may have been answered
	}
}

// resumes reports whether the session has the slot again for an answer that was given before: it leaves
// the phase in which it waited for that with its next transition.
func (o *Outcome) resumes(p *api.SessionPhaseData) bool {
	return p.Event == domain.SessionActivationRequested{}.Name() && o.approvalID == "" && api.Value(p.RoundID) == o.round
}

// ShownText returns the text of a stored message that is a part of an answer: of the AI, or about a
// limit; ok is false for other messages.
func ShownText(m *api.Message) (text string, ok bool) {
	switch {
	case m.Sender == api.MessageSenderAI:
		return m.ShownText(), true
	case m.SystemMessage != nil && m.SystemMessage.Type == domain.SystemLimitReached:
		return m.SystemMessage.Summary, true
	}
	return "", false
}
