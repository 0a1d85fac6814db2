package scheduler

import (
	"cmp"
	"context"
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// asked is a world in which something was asked, and the catalogue that checks answers.
type asked struct {
	*world
	latest *domain.Approval
	stale  *domain.PlannedCommands
	looked func()
}

func (a *asked) View(context.Context, string, string) (*domain.View, error) {
	v := *a.view
	if a.looked != nil {
		defer a.looked()
	}
	return &v, nil
}

func (a *asked) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	if a.latest == nil || a.latest.ID != id {
		return nil, domain.NotFound("approval")
	}
	return a.latest, nil
}

func (a *asked) LatestApproval(context.Context, string, string, domain.ApprovalKind) (*domain.Approval, error) {
	return a.latest, nil
}

func (a *asked) RoleFor(action *domain.ApprovalAction) domain.Role {
	if action.Command == "DELETE_ZONE" {
		return domain.RoleAdmin
	}
	return domain.RoleMember
}

func (a *asked) CheckResponse(_ *domain.Module, value json.RawMessage) error {
	if string(value) == `"bad"` {
		return domain.Invalid("/value", "wrong", "Not that.")
	}
	return nil
}

func (a *asked) ResponseText(_ *domain.Module, value json.RawMessage, _ string) string {
	return string(value)
}

func (a *asked) Edit(context.Context, *domain.View, domain.Decision) ([]*domain.Execution, error) {
	return []*domain.Execution{{ID: "edited"}}, nil
}

func (a *asked) Execution(_ context.Context, _, id string) (*domain.Execution, error) {
	return &domain.Execution{ID: id, Command: "SHOP.PAY", Status: domain.ExecUnknown}, nil
}

func (a *asked) Again(_ context.Context, _ *domain.View, sent *domain.Execution) (*domain.PlannedCommands, error) {
	own := *sent
	own.ID, own.Status = "again", domain.ExecPlanned
	return &domain.PlannedCommands{Actions: []*domain.Execution{&own}}, nil
}

func (a *asked) Stale(context.Context, *domain.View, []string) (*domain.PlannedCommands, error) {
	return a.stale, nil
}

func newAsked(t *testing.T, s *domain.Session, open ...*domain.Approval) (*asked, *Answers) {
	a := &asked{world: newWorld(t, view(s, s, func(v *domain.View) { v.Open = open }))}
	if len(open) > 0 {
		a.latest = open[0]
	}
	return a, &Answers{Door: a.door, Store: a, Checks: a}
}

func approval(kind domain.ApprovalKind, commands ...string) *domain.Approval {
	a := &domain.Approval{ID: "apr", WorkspaceID: "ws", SessionID: "me", Kind: kind, Status: domain.ApprovalStatusOpen}
	for i, command := range commands {
		a.Actions = append(a.Actions, domain.ApprovalAction{ID: string(rune('a' + i)), Command: command})
	}
	return a
}

var (
	member = domain.Author{ID: "ann", Role: domain.RoleMember}
	admin  = domain.Author{ID: "bob", Role: domain.RoleAdmin}
)

// Who may answer what: each refusal, and what it comes to otherwise.
func TestAnswerEvents(t *testing.T) {
	actions := approval(domain.ApprovalActions, "CREATE_ENTRY", "DELETE_ZONE")
	for name, c := range map[string]struct {
		approval *domain.Approval
		decision domain.Decision
		want     string
		code     domain.Code
	}{
		"yes":                   {actions, domain.Decision{Approved: true, By: admin}, "ValidationReceived", ""},
		"yes, without the role": {actions, domain.Decision{Approved: true, By: member}, "", domain.CodeForbidden},
		"yes to what one may": {
			actions,
			domain.Decision{Approved: true, ApprovedIDs: []string{"a"}, By: member}, "ValidationReceived", "",
		},
		"no is anybody's": {actions, domain.Decision{By: member}, "ValidationReceived", ""},
		"yes to what was not asked": {
			actions,
			domain.Decision{Approved: true, ApprovedIDs: []string{"x"}, By: admin}, "", domain.CodeInvalid,
		},
		"an edit of what was not": {
			actions,
			domain.Decision{Edits: map[string]json.RawMessage{"x": nil}, By: admin}, "", domain.CodeInvalid,
		},
		"an edit": {
			actions,
			domain.Decision{Edits: map[string]json.RawMessage{"a": nil}, By: admin}, "ValidationReceived", "",
		},
		"a question": {
			approval(domain.ApprovalQuestion),
			domain.Decision{Value: json.RawMessage(`"red"`)}, "CommunicationResponseReceived", "",
		},
		"a wrong answer": {
			approval(domain.ApprovalQuestion),
			domain.Decision{Value: json.RawMessage(`"bad"`)}, "", domain.CodeInvalid,
		},
		"a question taken back":       {approval(domain.ApprovalQuestion), domain.Decision{Cancelled: true}, "CommunicationCancelled", ""},
		"more money":                  {approval(domain.ApprovalBudget), domain.Decision{Approved: true, By: admin}, "BudgetRaised", ""},
		"more money, by a member":     {approval(domain.ApprovalBudget), domain.Decision{Approved: true, By: member}, "", domain.CodeForbidden},
		"no more money":               {approval(domain.ApprovalBudget), domain.Decision{}, "BudgetRefused", ""},
		"it is done":                  {approval(domain.ApprovalCompletion), domain.Decision{Approved: true}, "CompletionConfirmed", ""},
		"it is not":                   {approval(domain.ApprovalCompletion), domain.Decision{}, "CompletionRejected", ""},
		"a poisoned one, again":       {approval(domain.ApprovalPoisoned), domain.Decision{Approved: true}, "SessionResumed", ""},
		"a poisoned one, no more":     {approval(domain.ApprovalPoisoned), domain.Decision{}, "StopRequested", ""},
		"signed in":                   {approval(domain.ApprovalReconnect), domain.Decision{Approved: true}, "ValidationReceived", ""},
		"no more waiting":             {approval(domain.ApprovalClientCalls), domain.Decision{}, "CommunicationCancelled", ""},
		"an approval for a program":   {approval(domain.ApprovalClientCalls), domain.Decision{Approved: true}, "", domain.CodeInvalid},
		"what cannot be answered yet": {approval("other"), domain.Decision{}, "", domain.CodeWrongPhase},
	} {
		t.Run(name, func(t *testing.T) {
			_, answers := newAsked(t, chat("me", domain.WaitingValidation), c.approval)
			x, err := answers.answering("ws", "me", c.approval.Kind, c.decision)
			if err != nil {
				t.Fatal(err)
			}
			var e domain.Event
			if err = answers.prepare(t.Context(), x); err == nil {
				e, err = x.reply(view(chat("me", domain.WaitingValidation), nil), c.approval)
			}
			if (err == nil) != (c.code == "") || err != nil && domain.ErrorCode(err) != c.code {
				t.Fatal(err)
			}
			if err == nil && e.Name() != c.want {
				t.Errorf("%s, want %s", e.Name(), c.want)
			}
		})
	}
}

// Of many who answer at once one decides: the same answer again is a success, another one
// a conflict, and an answer to nothing is refused.
func TestSettled(t *testing.T) {
	yes := domain.Decision{Approved: true, By: admin}
	recorded, err := record(yes)
	if err != nil {
		t.Fatal(err)
	}
	settledAs := func(change func(*domain.Approval)) *domain.Approval {
		a := approval(domain.ApprovalActions)
		a.Status, a.Decision = domain.ApprovalStatusApproved, recorded
		change(a)
		return a
	}
	for name, c := range map[string]struct {
		latest   *domain.Approval
		decision domain.Decision
		want     domain.Code
		shows    string
		session  *domain.Session
	}{
		"the same": {settledAs(func(*domain.Approval) {}), yes, "", "", nil},
		"another": {
			settledAs(func(*domain.Approval) {}),
			domain.Decision{By: admin}, domain.CodeValidationResolved, string(recorded), nil,
		},
		"it expired": {
			settledAs(func(a *domain.Approval) { a.Status, a.Decision = "expired", nil }),
			yes, domain.CodeValidationResolved, "expired", nil,
		},
		"of another session":   {settledAs(func(a *domain.Approval) { a.SessionID = "other" }), yes, domain.CodeNotFound, "", nil},
		"nothing was asked":    {nil, yes, domain.CodeWrongPhase, "", nil},
		"another kind is open": {approval(domain.ApprovalActions), yes, domain.CodeWrongPhase, "", nil},
		"a SEED asks nothing":  {nil, yes, domain.CodeSeedNeverRuns, "", session("me", domain.Seed, domain.Idle)},
	} {
		t.Run(name, func(t *testing.T) {
			a, answers := newAsked(t, cmp.Or(c.session, chat("me", domain.CallingAI)))
			a.latest = c.latest
			r, err := answers.ResumeValidation(t.Context(), "ws", "me", c.decision)
			if (err == nil) != (c.want == "") || err != nil && domain.ErrorCode(err) != c.want {
				t.Fatalf("%+v, %v", r, err)
			}
			if len(a.changes) != 0 {
				t.Error("something was written")
			}
			if err == nil {
				if r.Approval != c.latest {
					t.Errorf("%+v", r)
				}
				return
			}
			if e, ok := err.(*domain.Error); !ok || e.Decision != c.shows {
				t.Errorf("it shows %+v", e)
			}
		})
	}
}

// TestAskedAgainMeanwhile verifies that an answer does not count for a question that was asked again while the
// person answered.
func TestAskedAgainMeanwhile(t *testing.T) {
	a, answers := newAsked(t, chat("me", domain.WaitingValidation), approval(domain.ApprovalActions, "CREATE_ENTRY"))
	a.looked = func() {
		other := approval(domain.ApprovalActions, "CREATE_ENTRY")
		other.ID = "apr_2"
		a.view.Open = []*domain.Approval{other}
	}
	_, err := answers.ResumeValidation(t.Context(), "ws", "me", domain.Decision{Approved: true, By: admin})
	if domain.ErrorCode(err) != domain.CodeValidationStale || len(a.changes) != 0 {
		t.Errorf("%v, %d changes", err, len(a.changes))
	}
}

// TestAStaleAnswer verifies that the approval of a command that has changed meanwhile runs nothing and is requested
// again.
func TestAStaleAnswer(t *testing.T) {
	s := chat("me", domain.WaitingValidation, func(s *domain.Session) {
		s.State.AnswerID, s.State.Waiting = "msg", &domain.WaitingContext{ApprovalID: "apr"}
	})
	a, answers := newAsked(t, s, approval(domain.ApprovalActions, "CREATE_ENTRY"))
	a.stale = &domain.PlannedCommands{Cards: []domain.ApprovalAction{{ID: "a", Command: "CREATE_ENTRY"}}}
	_, err := answers.ResumeValidation(t.Context(), "ws", "me", domain.Decision{Approved: true, By: admin})
	if e, ok := err.(*domain.Error); !ok || e.Code != domain.CodeValidationStale || e.Session == nil {
		t.Errorf("%v", err)
	}
	if len(a.changes) != 1 || len(a.notes) != 0 {
		t.Errorf("%d changes, %q", len(a.changes), a.notes)
	}
}

// TestEarlyConfirmation verifies that a person may confirm without having been asked that a run is done before its
// timer does.
func TestEarlyConfirmation(t *testing.T) {
	waits := func(approval string) *domain.Session {
		return run("me", domain.WaitingCompletionConfirmation, func(s *domain.Session) { s.State.Waiting = &domain.WaitingContext{ApprovalID: approval} })
	}
	for name, c := range map[string]struct {
		session  *domain.Session
		kind     domain.ApprovalKind
		decision domain.Decision
		want     string
	}{
		"it is done":        {waits(""), domain.ApprovalCompletion, domain.Decision{Approved: true}, "CompletionConfirmed"},
		"it is not":         {waits(""), domain.ApprovalCompletion, domain.Decision{}, "CompletionRejected"},
		"a person is asked": {waits("apr"), domain.ApprovalCompletion, domain.Decision{Approved: true}, ""},
		"an approval named": {waits(""), domain.ApprovalCompletion, domain.Decision{ApprovalID: "apr"}, ""},
		"another kind":      {waits(""), domain.ApprovalActions, domain.Decision{}, ""},
		"another phase":     {run("me", domain.CallingAI), domain.ApprovalCompletion, domain.Decision{}, ""},
	} {
		got := ""
		if e := (&answering{kind: c.kind, decision: c.decision}).earlyConfirmation(view(c.session, nil)); e != nil {
			got = e.Name()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The same answer is known whatever the order and the blanks in which it comes.
func TestRecord(t *testing.T) {
	one, err := record(domain.Decision{ApprovedIDs: []string{"b", "a"}, Value: json.RawMessage(`{ "n" : 1 }`), By: admin})
	if err != nil {
		t.Fatal(err)
	}
	other, err := record(domain.Decision{ApprovedIDs: []string{"a", "b"}, Value: json.RawMessage(`{"n":1}`), By: member})
	if err != nil || string(one) != string(other) {
		t.Errorf("%s\n%s\n%v", one, other, err)
	}
	if _, err := record(domain.Decision{Value: json.RawMessage(`{`)}); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("what is no JSON: %v", err)
	}
}

// Who raises a budget is who may change it: the workspace's and an automation's are an administrator's.
// Anybody who answers may refuse.
func TestWhoRaisesABudget(t *testing.T) {
	for scope, least := range map[string]domain.Role{
		"round": domain.RoleMember, "session": domain.RoleMember, "day": domain.RoleAdmin, "month": domain.RoleAdmin, "automation_day": domain.RoleAdmin,
	} {
		for _, role := range []domain.Role{domain.RoleMember, domain.RoleAdmin} {
			for _, limit := range []*float64{nil, new(5.0)} {
				s := chat("me", domain.WaitingBudget, func(s *domain.Session) {
					s.State.Waiting = &domain.WaitingContext{Kind: domain.WaitBudget, ApprovalID: "apr", Limit: "max_cost_per_day"}
				})
				asked := approval(domain.ApprovalBudget)
				asked.Budget = &domain.BudgetQuestion{Scope: scope, Unit: "USD", Max: 1}
				_, answers := newAsked(t, s, asked)
				by := domain.Author{ID: "ann", Role: role}
				_, err := answers.AnswerApproval(t.Context(), "ws", "apr", domain.Decision{Approved: true, Limit: limit, By: by})
				if refused := domain.ErrorCode(err) == domain.CodeForbidden; refused == role.Allows(least) {
					t.Errorf("%s raised by a %s: %v", scope, role, err)
				}
				_, answers = newAsked(t, s, asked)
				if _, err := answers.AnswerApproval(t.Context(), "ws", "apr", domain.Decision{By: by}); err != nil {
					t.Errorf("%s refused by a %s: %v", scope, role, err)
				}
			}
		}
	}
}
