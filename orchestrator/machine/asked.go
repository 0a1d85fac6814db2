package machine

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// An external server needs a person during a call: a sign-in, or an answer. The session waits as for an
// approval, and the answer leads back into the series, where the same call is repeated with it. A refusal
// is not an end either: the call fails with a text for the AI, or delivers the refusal to the server.

// askOutside begins the wait. What ended before the call is stored; the call itself stays started only if
// it remains open at the server meanwhile.
func askOutside(s *step) {
	e := s.event.(domain.OutsideAsked)
	noteProgress(s, e.Executions, e.Changes)
	x := s.plannedByID(e.Ask.ExecutionID)
	text := "A server outside asked a person something first, and was not answered."
	if e.Ask.Question == nil {
		text = "Somebody had to sign in to a server outside first, and did not."
	}
	if x != nil && !e.Ask.Open {
		notBegun(s, x)
	}
	w := domain.WaitingContext{
		Kind: domain.WaitOutside, ExecutionID: e.Ask.ExecutionID, Module: e.Ask.Question, MessageID: s.session.State.AnswerID,
	}
	cancel := storeUnasked(s, text)
	s.waitFor(w, cancel, outsideApproval(s, &e.Ask, x))
}

// notBegun takes back that a call was begun: nothing of it is under way.
func notBegun(s *step, x *domain.Execution) {
	if x.Status != domain.ExecStarted {
		return
	}
	x.Status = domain.ExecPlanned
	if x.ApprovalID != "" {
		x.Status = domain.ExecApproved
	}
	s.write(x)
}

// outsideApproval is the card. It names who asks: the words of a question are the server's.
func outsideApproval(s *step, ask *domain.OutsideAsk, x *domain.Execution) *domain.Approval {
	a := &domain.Approval{Kind: domain.ApprovalReconnect, Module: ask.Question, ResponseSchema: ask.ResponseSchema}
	var why domain.Text
	if x != nil {
		a.Actions = []domain.ApprovalAction{actionOf(s, x)}
	}
	name := visible.Line(ask.Name)
	if ask.Question != nil {
		a.Kind = domain.ApprovalQuestion
		why = domain.Say("The server of the connector %s asks this, and gets the answer.",
			"Le serveur du connecteur %s le demande, et reçoit la réponse.", name)
	} else {
		a.Ask(domain.Say("Somebody has to sign in to %s. The call waits for it.",
			"Quelqu’un doit se connecter à %s. L’appel attend cela.", name), s.language())
		why = domain.Say("The server of the connector %s does not let us in any more.",
			"Le serveur du connecteur %s ne nous laisse plus entrer.", name)
	}
	a.Reasons = []domain.ApprovalReason{domain.ReasonOf(domain.LevelConnector, ask.Connector, why, s.language())}
	return a
}

// storeUnasked stores the results of the answer's calls for the case without an answer.
func storeUnasked(s *step, text string) *domain.Message {
	pending := s.pending()
	kind := domain.KindAction
	if s.session.Phase == domain.ExecutingDataQueries {
		kind = domain.KindQuery
	}
	var results []domain.CommandResult
	for _, x := range s.planned {
		if x.Kind != kind || slices.Contains(pending.Reported, x.CallID) {
			continue
		}
		r := domain.ResultOf(x, s.language())
		switch {
		case x.Status == domain.ExecStarted:
			r.Status, r.Text = domain.ExecUnknown, text+" Whether it had done anything by then is not known."
		case !x.Status.Final():
			r.Status, r.Text = domain.ExecCancelled, "Not run. "+text
		}
		results = append(results, r)
	}
	results = append(append(results, pending.Results...), pending.Actions...)
	return s.system(domain.SystemValidationCancelled, text, results, "")
}

// asksOutside: the wait is for what a server outside wants.
func asksOutside(s *step) bool {
	w := s.session.State.Waiting
	return w != nil && w.Kind == domain.WaitOutside
}

// ofQuery: the question is about a query.
func ofQuery(s *step) bool {
	x := s.plannedByID(s.session.State.Waiting.ExecutionID)
	return x != nil && x.Kind == domain.KindQuery
}

// answerOutside keeps what the person said beside the call, which is made again with it.
func answerOutside(s *step) {
	w, d := s.session.State.Waiting, s.decision()
	status := domain.ApprovalStatusRefused
	if d.Approved {
		status = domain.ApprovalStatusApproved
	}
	s.settle(status)
	s.removeCancelMessage()
	pending := s.pending()
	pending.Outside = maps.Clone(pending.Outside)
	if pending.Outside == nil {
		pending.Outside = map[string]domain.OutsideAnswer{}
	}
	answer := pending.Outside[w.ExecutionID]
	if w.Module == nil {
		answer.Refused = !d.Approved
	} else {
		value := json.RawMessage("null")
		if d.Approved && len(d.Value) > 0 {
			value = d.Value
		}
		answer.Answers = append(slices.Clone(answer.Answers), value)
	}
	pending.Outside[w.ExecutionID] = answer
	s.session.State.Pending = &pending
	if x := s.plannedByID(w.ExecutionID); x != nil {
		notBegun(s, x)
	}
}

// leaveAsked: no answer is expected any more. A call that is open at its server may have had effects by
// then.
func leaveAsked(s *step) {
	if !asksOutside(s) {
		return
	}
	if x := s.plannedByID(s.session.State.Waiting.ExecutionID); x != nil && x.Status == domain.ExecStarted {
		leaveRunning(s, x)
	}
}
