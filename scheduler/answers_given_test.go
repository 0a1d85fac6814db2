package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// waits is a session that waits for an answer, in a phase.
func waits(kind domain.SessionType, phase domain.Phase) *domain.Session {
	return session("me", kind, phase, func(s *domain.Session) {
		s.State.AnswerID, s.State.Waiting = "msg", &domain.WaitingContext{ApprovalID: "apr"}
	})
}

// TestAnswersThatAreTaken verifies that each way to answer settles its approval and that the session continues.
func TestAnswersThatAreTaken(t *testing.T) {
	yes := domain.Decision{Approved: true, By: admin}
	red := domain.Decision{Value: json.RawMessage(`"red"`), By: member}
	for name, c := range map[string]struct {
		session  *domain.Session
		approval *domain.Approval
		answer   func(*Answers) (*domain.Receipt, error)
		status   domain.ApprovalStatus
		left     domain.Phase
	}{
		"yes to actions": {
			waits(domain.Chat, domain.WaitingValidation), approval(domain.ApprovalActions, "CREATE_ENTRY"),
			func(a *Answers) (*domain.Receipt, error) { return a.ResumeValidation(t.Context(), "ws", "me", yes) },
			domain.ApprovalStatusApproved, domain.WaitingValidation,
		},
		"no to actions": {
			waits(domain.Chat, domain.WaitingValidation), approval(domain.ApprovalActions, "CREATE_ENTRY"),
			func(a *Answers) (*domain.Receipt, error) {
				return a.ResumeValidation(t.Context(), "ws", "me", domain.Decision{By: member})
			},
			domain.ApprovalStatusRefused, domain.WaitingValidation,
		},
		"yes by the approval's id": {
			waits(domain.Chat, domain.WaitingValidation), approval(domain.ApprovalActions, "CREATE_ENTRY"),
			func(a *Answers) (*domain.Receipt, error) { return a.AnswerApproval(t.Context(), "ws", "apr", yes) },
			domain.ApprovalStatusApproved, domain.WaitingValidation,
		},
		"an answer to a question": {
			waits(domain.Chat, domain.WaitingCommunicationResponse), approval(domain.ApprovalQuestion),
			func(a *Answers) (*domain.Receipt, error) { return a.ResumeResponse(t.Context(), "ws", "me", red) },
			domain.ApprovalStatusApproved, domain.WaitingCommunicationResponse,
		},
		"a run is done": {
			waits(domain.Run, domain.WaitingCompletionConfirmation), approval(domain.ApprovalCompletion),
			func(a *Answers) (*domain.Receipt, error) { return a.ConfirmCompletion(t.Context(), "ws", "me", yes) },
			domain.ApprovalStatusApproved, domain.WaitingCompletionConfirmation,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, answers := newAsked(t, c.session, c.approval)
			r, err := c.answer(answers)
			if err != nil {
				t.Fatal(err)
			}
			if r.Approval == nil || r.Approval.ID != "apr" || r.Approval.Status != c.status {
				t.Fatalf("the approval is %+v", r.Approval)
			}
			if r.Session.Phase == c.left || len(a.changes) != 1 {
				t.Errorf("it is %s yet, after %d changes", r.Session.Phase, len(a.changes))
			}
		})
	}
}

// unreadable is a database that does not give one of the things that an answer reads.
type unreadable struct {
	*asked
	view, session, approval, latest, edit, stale error
}

func (u *unreadable) View(ctx context.Context, ws, id string) (*domain.View, error) {
	v, err := u.asked.View(ctx, ws, id)
	return v, errors.Join(err, u.view)
}

func (u *unreadable) Session(ctx context.Context, ws, id string) (*domain.Session, error) {
	s, err := u.asked.Session(ctx, ws, id)
	return s, errors.Join(err, u.session)
}

func (u *unreadable) Approval(ctx context.Context, ws, id string) (*domain.Approval, error) {
	if u.approval != nil {
		return nil, u.approval
	}
	return u.asked.Approval(ctx, ws, id)
}

func (u *unreadable) LatestApproval(ctx context.Context, ws, s string, kind domain.ApprovalKind) (*domain.Approval, error) {
	if u.latest != nil {
		return nil, u.latest
	}
	return u.asked.LatestApproval(ctx, ws, s, kind)
}

func (u *unreadable) Edit(context.Context, *domain.View, domain.Decision) ([]*domain.Execution, error) {
	return nil, u.edit
}

func (u *unreadable) Stale(context.Context, *domain.View, []string) (*domain.PlannedCommands, error) {
	return nil, u.stale
}

// An answer that cannot be looked at settles nothing.
func TestAnAnswerThatCannotBeLookedAt(t *testing.T) {
	yes := domain.Decision{Approved: true, By: admin}
	settled := approval(domain.ApprovalActions)
	settled.Status = domain.ApprovalStatusApproved
	byID := func(a *Answers) error { _, err := a.AnswerApproval(t.Context(), "ws", "apr", yes); return err }
	latest := func(a *Answers) error { _, err := a.ResumeValidation(t.Context(), "ws", "me", yes); return err }
	for name, c := range map[string]struct {
		open   bool
		away   func(*unreadable)
		answer func(*Answers) error
	}{
		"what there is":          {true, func(u *unreadable) { u.view = errAway }, latest},
		"the approval":           {true, func(u *unreadable) { u.approval = errAway }, byID},
		"what it shows":          {true, func(u *unreadable) { u.stale = errAway }, latest},
		"the settled one":        {false, func(u *unreadable) { u.latest = errAway }, latest},
		"the session of its own": {false, func(u *unreadable) { u.session = errAway }, latest},
	} {
		a, answers := newAsked(t, waits(domain.Chat, domain.WaitingValidation), approval(domain.ApprovalActions, "CREATE_ENTRY"))
		if !c.open {
			a.world.view.Open, a.latest = nil, settled
		}
		u := &unreadable{asked: a}
		c.away(u)
		answers.Store, answers.Checks = u, u
		if err := c.answer(answers); !errors.Is(err, errAway) || len(a.changes) != 0 {
			t.Errorf("%s: %v, %d changes", name, err, len(a.changes))
		}
	}
}

// Edits are checked before the decision, and only by who may approve.
func TestEditsAreCheckedFirst(t *testing.T) {
	edits := map[string]json.RawMessage{"a": json.RawMessage(`{}`)}
	refused := domain.Invalid("/edits/a/name", "required", "A name is needed.")
	for name, c := range map[string]struct {
		decision domain.Decision
		edit     error
		want     domain.Code
		changes  int
	}{
		"an edit that can run":     {domain.Decision{Approved: true, Edits: edits, By: admin}, nil, "", 1},
		"an edit that cannot":      {domain.Decision{Approved: true, Edits: edits, By: admin}, refused, domain.CodeInvalid, 0},
		"an edit without the role": {domain.Decision{Approved: true, Edits: edits, By: member}, refused, domain.CodeForbidden, 0},
		"an edit of what is not asked": {
			domain.Decision{Approved: true, Edits: map[string]json.RawMessage{"x": nil}, By: admin}, nil, domain.CodeInvalid, 0,
		},
		"a no with nothing to check": {domain.Decision{By: member}, refused, "", 1},
		"what is no JSON":            {domain.Decision{Value: json.RawMessage(`{`), By: admin}, nil, domain.CodeInvalid, 0},
	} {
		a, answers := newAsked(t, waits(domain.Chat, domain.WaitingValidation), approval(domain.ApprovalActions, "DELETE_ZONE"))
		answers.Checks = &unreadable{asked: a, edit: c.edit}
		_, err := answers.ResumeValidation(t.Context(), "ws", "me", c.decision)
		if (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want || len(a.changes) != c.changes {
			t.Errorf("%s: %v, %d changes", name, err, len(a.changes))
		}
	}
}

// What is stored says nothing of who answered: another person's same answer is the same.
func TestWhoseAnswerItIsMakesNoDifference(t *testing.T) {
	a, answers := newAsked(t, chat("me", domain.CallingAI))
	recorded, err := record(domain.Decision{Approved: true, By: member})
	if err != nil {
		t.Fatal(err)
	}
	a.latest = approval(domain.ApprovalActions)
	a.latest.Status, a.latest.Decision = domain.ApprovalStatusApproved, recorded
	r, err := answers.ResumeValidation(t.Context(), "ws", "me", domain.Decision{Approved: true, By: admin})
	if err != nil || r.Approval != a.latest || len(a.changes) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Of what a change settles only the approval of the answer's kind is shown.
func TestSettledApproval(t *testing.T) {
	open, done := approval(domain.ApprovalActions), approval(domain.ApprovalActions)
	done.Status = domain.ApprovalStatusApproved
	other := approval(domain.ApprovalBudget)
	other.Status = domain.ApprovalStatusApproved
	for name, c := range map[string]struct {
		list []*domain.Approval
		want *domain.Approval
	}{
		"none":            {nil, nil},
		"open":            {[]*domain.Approval{open}, nil},
		"another kind":    {[]*domain.Approval{other}, nil},
		"the settled one": {[]*domain.Approval{open, other, done}, done},
	} {
		if got := settledApproval(&domain.Change{Approvals: c.list}, domain.ApprovalActions); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// By an approval's id that one is meant, not what was asked since; and of a no nothing
// needs to be looked at first.
func TestAnAnswerByTheApprovalsID(t *testing.T) {
	recorded, err := record(domain.Decision{ApprovalID: "apr", Approved: true, By: admin})
	if err != nil {
		t.Fatal(err)
	}
	earlier, since := approval(domain.ApprovalActions), approval(domain.ApprovalActions, "CREATE_ENTRY")
	earlier.Status, earlier.Decision, since.ID = domain.ApprovalStatusApproved, recorded, "apr_since"
	a, answers := newAsked(t, waits(domain.Chat, domain.WaitingValidation), since)
	answers.Store = byID{a, map[string]*domain.Approval{"apr": earlier, "apr_since": since}}
	r, err := answers.AnswerApproval(t.Context(), "ws", "apr", domain.Decision{Approved: true, By: admin})
	if err != nil || r.Approval != earlier || len(a.changes) != 0 {
		t.Errorf("the same answer again: %+v, %v", r, err)
	}
	_, err = answers.AnswerApproval(t.Context(), "ws", "apr", domain.Decision{By: admin})
	if domain.ErrorCode(err) != domain.CodeValidationResolved {
		t.Errorf("another answer: %v", err)
	}
	a, answers = newAsked(t, waits(domain.Chat, domain.WaitingValidation), approval(domain.ApprovalActions, "CREATE_ENTRY"))
	answers.Store = &unreadable{asked: a, view: errAway}
	if r, err = answers.AnswerApproval(t.Context(), "ws", "apr", domain.Decision{By: member}); err != nil ||
		r.Approval.Status != domain.ApprovalStatusRefused {
		t.Errorf("a no: %+v, %v", r, err)
	}
}

// byID has several approvals.
type byID struct {
	*asked
	all map[string]*domain.Approval
}

func (b byID) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	return b.all[id], nil
}

// TestAnEarlyConfirmationIsTaken verifies that a person can end a run before its timer does or have it continue,
// without having been asked.
func TestAnEarlyConfirmationIsTaken(t *testing.T) {
	for approved, ends := range map[bool]bool{true: true, false: false} {
		s := run("me", domain.WaitingCompletionConfirmation, func(s *domain.Session) { s.State.Waiting = &domain.WaitingContext{} })
		a, answers := newAsked(t, s)
		r, err := answers.ConfirmCompletion(t.Context(), "ws", "me", domain.Decision{Approved: approved, By: member})
		if err != nil || (r.Session.Phase == domain.Completed) != ends || r.Session.Phase == domain.WaitingCompletionConfirmation ||
			len(a.changes) != 1 {
			t.Errorf("approved %v: %+v, %v", approved, r, err)
		}
	}
}
