package scheduler

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// answering is a person's answer on its way to the approval that it is for.
type answering struct {
	Target
	kind     domain.ApprovalKind
	decision domain.Decision
	recorded []byte // the canonical form of the decision
	checks   AnswerChecks
	prepared
}

// prepared is what is found out about an answer before its decision.
type prepared struct {
	approval string // the one that was open when the answer was received; "" if none was, or it was not read
	// stale are the cards with the current values, if those of the approval are outdated; edited the
	// actions that the person changed, validated.
	stale  *domain.PlannedCommands
	edited []*domain.Execution
	// sent is the action whose outcome the person reports, and again the same one planned again, if they
	// want it run once more.
	sent  *domain.Execution
	again *domain.PlannedCommands
	// proof is the signature of an approval of sensitive actions.
	proof *people.PasskeyProof
}

func (a *Answers) answering(
	workspace, session string, kind domain.ApprovalKind, decision domain.Decision,
) (*answering, error) {
	recorded, err := record(decision)
	if err != nil {
		return nil, err
	}
	return &answering{
		Target: Target{Workspace: workspace, Session: session}, kind: kind, decision: decision, recorded: recorded, checks: a.Checks,
	}, nil
}

// acts reports whether the answer approves or edits actions.
func (x *answering) acts() bool {
	return x.kind == domain.ApprovalActions && (x.decision.Approved || len(x.decision.Edits) > 0)
}

func (x *answering) answer() domain.Answer {
	return domain.Answer{Decision: x.decision, Recorded: x.recorded}
}

// open is the approval that the answer is for; nil: there is none.
func (x *answering) open(v *domain.View) *domain.Approval {
	id := x.decision.ApprovalID
	for _, a := range v.Open {
		if a.Kind == x.kind && (a.ID == id || id == "" && askingTask(v, a) == nil) {
			return a
		}
	}
	return nil
}

// prepare checks, before the decision and outside its transaction, whether the approval would cover
// something other than what was shown, and whether the person's changes can run. Later changes are found
// when the actions run.
func (a *Answers) prepare(ctx context.Context, x *answering) error {
	if !x.acts() && x.decision.ApprovalID != "" && x.kind != domain.ApprovalOutcome {
		return nil
	}
	v, err := a.Store.View(ctx, x.Workspace, x.Session)
	if err != nil {
		return err
	}
	asked := x.open(v)
	if asked == nil {
		return nil
	}
	x.approval = asked.ID
	switch {
	case x.kind == domain.ApprovalOutcome:
		return a.prepareOutcome(ctx, x, v, asked)
	case x.acts():
		return a.prepareActions(ctx, x, v, asked)
	}
	return nil
}

// prepareActions checks the approval of actions. It is the only check of the decision: an approval does not change, and
// the one that is settled must be the one that was prepared.
func (a *Answers) prepareActions(ctx context.Context, x *answering, v *domain.View, asked *domain.Approval) error {
	err := x.checkDecision(asked)
	if err != nil {
		return err
	}
	if x.decision.Approved {
		if x.stale, err = a.Checks.Stale(ctx, v, x.decision.ApprovedIDs); err != nil || x.stale != nil {
			return err
		}
	}
	if len(x.decision.Edits) > 0 {
		if x.edited, err = a.Checks.Edit(ctx, v, x.decision); err != nil {
			return err
		}
	}
	x.proof, err = a.prove(ctx, asked, x.decision, x.edited)
	return err
}

// answerRequest is an answer, with the message that it was given by, if any.
type answerRequest struct {
	answering
	said *domain.NewMessage
}

// event returns, under the locks, the machine's event for an answer.
func (r answerRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	asked := r.open(v)
	switch {
	case asked == nil:
		if e := r.earlyConfirmation(v); e != nil {
			return e, nil
		}
		return nil, errSettled
	case r.stale != nil && r.approval == asked.ID:
		return domain.ApprovalStale{Commands: *r.stale}, nil
	}
	return r.reply(v, asked)
}

func (r answerRequest) also(v *domain.View, m moment, _ domain.Event, change *domain.Change) error {
	r.answerTask(v, change)
	r.noteProof(change)
	if r.said != nil {
		r.addMessage(v, m, change)
	}
	return nil
}

// reply turns an answer into the machine's event. An answer without an approval's id is for
// the one that was open when it was received: later ones cannot have been seen by its sender.
func (x *answering) reply(v *domain.View, asked *domain.Approval) (domain.Event, error) {
	if x.approval != asked.ID && (x.acts() || x.decision.ApprovalID == "") {
		return nil, domain.Errorf(domain.CodeValidationStale,
			"It was asked again just now. Nothing was run; look at what is asked now, then answer again.")
	}
	if of := replies[asked.Kind]; of != nil {
		return of(x, v, asked)
	}
	return nil, domain.Errorf(domain.CodeWrongPhase, "An approval of kind %s cannot be answered yet.", asked.Kind)
}

// replies has the machine's event for an answer to each kind of approval.
var replies = map[domain.ApprovalKind]func(x *answering, v *domain.View, asked *domain.Approval) (domain.Event, error){
	domain.ApprovalActions:     (*answering).replyToActions,
	domain.ApprovalQuestion:    (*answering).replyToQuestion,
	domain.ApprovalClientCalls: (*answering).replyOfClient,
	domain.ApprovalOutcome:     (*answering).replyToOutcome,
	domain.ApprovalReconnect:   (*answering).confirms,
	domain.ApprovalPoisoned:    (*answering).resumes,
	domain.ApprovalBudget:      (*answering).raises,
	domain.ApprovalCompletion:  (*answering).byPhase,
}

func (x *answering) replyToActions(_ *domain.View, asked *domain.Approval) (domain.Event, error) {
	answer := x.answer()
	if !x.acts() {
		if err := x.checkDecision(asked); err != nil {
			return nil, err
		}
	}
	var err error
	if answer.Evidence, err = x.evidence(asked); err != nil {
		return nil, err
	}
	return domain.ValidationReceived{Answer: answer, Edited: x.edited}, nil
}

// replyToQuestion is the answer to a question of the AI, of a server in the middle of a call, or of a task's service.
func (x *answering) replyToQuestion(v *domain.View, asked *domain.Approval) (domain.Event, error) {
	d, w := x.decision, v.Session.State.Waiting
	ofTask, ofServer := askingTask(v, asked) != nil, w != nil && w.Kind == domain.WaitOutside
	if !d.Cancelled {
		if err := x.checks.CheckResponse(asked.Module, d.Value); err != nil {
			return nil, err // it could not be read
		}
	}
	answer := x.answer()
	switch {
	case ofTask:
		return nil, nil // the session does not wait for it
	case d.Cancelled && !ofServer:
		return domain.CommunicationCancelled{Answer: answer}, nil
	case !d.Cancelled:
		answer.Text = x.checks.ResponseText(asked.Module, d.Value, v.Workspace.Settings.Language)
	}
	if ofServer {
		return domain.ValidationReceived{Answer: answer}, nil
	}
	return domain.CommunicationResponseReceived{Answer: answer}, nil
}

func (x *answering) confirms(*domain.View, *domain.Approval) (domain.Event, error) {
	return domain.ValidationReceived{Answer: x.answer()}, nil
}

func (x *answering) resumes(*domain.View, *domain.Approval) (domain.Event, error) {
	if x.decision.Approved {
		return domain.SessionResumed{}, nil
	}
	return domain.StopRequested{By: x.decision.By.ID}, nil
}

func (x *answering) raises(v *domain.View, asked *domain.Approval) (domain.Event, error) {
	if err := mayRaise(asked, x.decision); err != nil {
		return nil, err
	}
	return x.byPhase(v, asked)
}

// byPhase is the event that the phase of the question names.
func (x *answering) byPhase(_ *domain.View, asked *domain.Approval) (domain.Event, error) {
	return domain.QuestionOf(asked.Kind).Reply(x.decision.Approved, x.answer()), nil
}

// replyOfClient is the event for the results of a program's own tools. A person can only cancel the
// wait: only the program has the results.
func (x *answering) replyOfClient(_ *domain.View, asked *domain.Approval) (domain.Event, error) {
	d, answer := x.decision, x.answer()
	if len(d.Results) == 0 && d.Approved {
		return nil, domain.Invalid("/approved", "not_allowed",
			"The program that sent the message runs these tools, and brings the results. Others can only stop waiting for it: "+
				"send approved: false. Nothing was changed.")
	}
	if len(d.Results) == 0 {
		return domain.CommunicationCancelled{Answer: answer}, nil
	}
	ids := func(a domain.ApprovalAction, r domain.ClientResult) bool { return a.ID == r.CallID }
	if !slices.EqualFunc(asked.Actions, d.Results, ids) {
		return nil, domain.Errorf(domain.CodeInvalid, "The results are not those of the calls that are waited for. Nothing was changed.")
	}
	return domain.CommunicationResponseReceived{Answer: answer}, nil
}

// earlyConfirmation is the event of a person who answers before the completion timer of a
// run does; nil: there is none to be faster than.
func (x *answering) earlyConfirmation(v *domain.View) domain.Event {
	w := v.Session.State.Waiting
	unasked := v.Session.Phase == domain.WaitingCompletionConfirmation && w != nil && w.ApprovalID == ""
	if x.kind != domain.ApprovalCompletion || x.decision.ApprovalID != "" || !unasked {
		return nil
	}
	return domain.QuestionOf(x.kind).Reply(x.decision.Approved, x.answer())
}
