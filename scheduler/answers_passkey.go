package scheduler

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// A yes to a sensitive action is signed with a passkey, whatever door it comes through: this is
// the one place that asks for it.

// PasskeyChecks check what people sign.
type PasskeyChecks interface {
	// Approve checks what was signed for a yes to these actions of an approval. Its errors say what
	// has to be signed (passkey_required), or what is wrong with what was (passkey_refused).
	Approve(ctx context.Context, asked *domain.Approval, by domain.Author, approved []domain.ApprovalAction,
		answer *domain.PasskeyAnswer) (*domain.PasskeyProof, error)
}

// prove has a yes to sensitive actions signed: to all that it approves, as they would run.
func (a *Answers) prove(
	ctx context.Context, asked *domain.Approval, decision domain.Decision, edited []*domain.Execution,
) (*domain.PasskeyProof, error) {
	if !asked.Sensitive(decision) {
		return nil, nil
	}
	if a.Passkeys == nil {
		return nil, errNotSigned
	}
	approved := append([]domain.ApprovalAction(nil), asked.ApprovedActions(decision)...)
	for i := range approved {
		for _, x := range edited {
			if x.ID == approved[i].ID {
				approved[i].Params, approved[i].Digest = x.Params, x.Digest
			}
		}
	}
	return a.Passkeys.Approve(ctx, asked, decision.By, approved, decision.Passkey)
}

var errNotSigned = domain.Errorf(domain.CodePasskeyRequired,
	"This is sensitive: a yes to it is signed with a passkey. Nothing was run; it still waits.")

// evidence is what was signed for the approval that is settled now, under the locks.
func (p *prepared) evidence(asked *domain.Approval, decision domain.Decision) ([]byte, error) {
	if !asked.Sensitive(decision) {
		return nil, nil
	}
	if p.proof == nil || p.approval != asked.ID {
		return nil, errNotSigned
	}
	return p.proof.Evidence, nil
}

// noteProof writes the use of the passkey with the settlement that it was used for.
func (p *prepared) noteProof(change *domain.Change) {
	if p.proof == nil {
		return
	}
	if slices.ContainsFunc(change.Approvals, func(a *domain.Approval) bool { return a.ID == p.approval && len(a.Evidence) > 0 }) {
		change.Passkeys = append(change.Passkeys, p.proof.Use)
	}
}
