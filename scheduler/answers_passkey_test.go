package scheduler

import (
	"context"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// signing takes the answer "good" for whatever it is shown, and notes that.
type signing struct{ shown []domain.ApprovalAction }

func (s *signing) Approve(_ context.Context, _ *domain.Approval, _ domain.Author, approved []domain.ApprovalAction,
	answer *domain.PasskeyAnswer,
) (*people.PasskeyProof, error) {
	s.shown = approved
	if answer == nil || string(answer.Credential) != "good" {
		return nil, domain.Errorf(domain.CodePasskeyRequired, "Sign it.")
	}
	return &people.PasskeyProof{Use: domain.PasskeyUse{PasskeyID: "psk", SignCount: 3}, Evidence: []byte(`"signed"`)}, nil
}

// TestASensitiveYesIsSigned verifies that the approval of a sensitive action must be signed, by whatever path it
// arrives; a refusal and the approval of other actions need no signature.
func TestASensitiveYesIsSigned(t *testing.T) {
	good := &domain.PasskeyAnswer{Credential: []byte("good")}
	byID := func(a *Answers, d domain.Decision) (*domain.Receipt, error) {
		return a.AnswerApproval(t.Context(), "ws", "apr", d)
	}
	bySession := func(a *Answers, d domain.Decision) (*domain.Receipt, error) {
		return a.ResumeValidation(t.Context(), "ws", "me", d)
	}
	for name, c := range map[string]struct {
		decision  domain.Decision
		unchecked bool // no component verifies signatures
		code      domain.Code
		shown     int
		evidence  string
	}{
		"yes":                       {decision: domain.Decision{Approved: true}, code: domain.CodePasskeyRequired, shown: 2},
		"yes, without a verifier":   {decision: domain.Decision{Approved: true, Passkey: good}, unchecked: true, code: domain.CodePasskeyRequired},
		"yes to it alone":           {decision: domain.Decision{Approved: true, ApprovedIDs: []string{"b"}}, code: domain.CodePasskeyRequired, shown: 1},
		"yes, signed with that":     {decision: domain.Decision{Approved: true, Passkey: &domain.PasskeyAnswer{Credential: []byte("bad")}}, code: domain.CodePasskeyRequired, shown: 2},
		"yes, signed":               {decision: domain.Decision{Approved: true, Passkey: good}, shown: 2, evidence: `"signed"`},
		"no":                        {decision: domain.Decision{}},
		"no, signed":                {decision: domain.Decision{Passkey: good}},
		"yes to the other":          {decision: domain.Decision{Approved: true, ApprovedIDs: []string{"a"}}},
		"yes to the other, unasked": {decision: domain.Decision{Approved: true, ApprovedIDs: []string{"a"}}, unchecked: true},
	} {
		for way, give := range map[string]func(*Answers, domain.Decision) (*domain.Receipt, error){"by id": byID, "by session": bySession} {
			t.Run(name+" "+way, func(t *testing.T) {
				asks := approval(domain.ApprovalActions, "CREATE_ENTRY", "DELETE_ZONE")
				asks.Actions[1].Sensitive = true
				a, answers := newAsked(t, waits(domain.Chat, domain.WaitingValidation), asks)
				checks := &signing{}
				if answers.Passkeys = checks; c.unchecked {
					answers.Passkeys = nil
				}
				c.decision.By = admin
				r, err := give(answers, c.decision)
				if len(checks.shown) != c.shown {
					t.Errorf("signed for %+v", checks.shown)
				}
				if c.code != "" {
					if domain.ErrorCode(err) != c.code || len(a.changes) != 0 || asks.Status != domain.ApprovalStatusOpen {
						t.Errorf("got %v, want %s; %d changes", err, c.code, len(a.changes))
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if string(r.Approval.Evidence) != c.evidence || len(a.changes) != 1 {
					t.Errorf("kept is %s, after %d changes", r.Approval.Evidence, len(a.changes))
				}
				if uses := a.changes[0].Passkeys; (len(uses) == 1 && uses[0].PasskeyID == "psk") != (c.evidence != "") {
					t.Errorf("used: %+v", uses)
				}
			})
		}
	}
}

// What was signed for one approval settles no other that has taken its place.
func TestASignatureIsOfOneApproval(t *testing.T) {
	asks := approval(domain.ApprovalActions, "DELETE_ZONE")
	asks.Actions[0].Sensitive = true
	for name, ready := range map[string]prepared{
		"none":       {approval: "apr"},
		"of another": {approval: "apr_2", proof: &people.PasskeyProof{}},
	} {
		if _, err := (&answering{decision: domain.Decision{Approved: true}, prepared: ready}).evidence(asks); domain.ErrorCode(err) != domain.CodePasskeyRequired {
			t.Errorf("%s: %v", name, err)
		}
	}
}
