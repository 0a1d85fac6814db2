package scheduler

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// Approvals of sensitive actions are signed with a passkey, through every door: the signature is required
// here.

// PasskeyChecks check what people sign.
type PasskeyChecks interface {
	// Approve verifies the signature for these actions of an approval. Its errors contain what has to be
	// signed (passkey_required), or why a signature was rejected (passkey_refused).
	Approve(ctx context.Context, asked *domain.Approval, by domain.Author, approved []domain.ApprovalAction,
		answer *domain.PasskeyAnswer) (*people.PasskeyProof, error)
}

// prove requires a signature if the decision approves sensitive actions; it covers all that is approved,
// as it would run.
func (a *Answers) prove(
	ctx context.Context, asked *domain.Approval, decision domain.Decision, edited []*domain.Execution,
) (*people.PasskeyProof, error) {
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
	"This is sensitive: its approval must be signed with a passkey. Nothing was run; it still waits.")

// evidence is what was signed for the approval that is settled now, under the locks.
func (x *answering) evidence(asked *domain.Approval) ([]byte, error) {
	if !asked.Sensitive(x.decision) {
		return nil, nil
	}
	if x.proof == nil || x.approval != asked.ID {
		return nil, errNotSigned
	}
	return x.proof.Evidence, nil
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
