package passkeys

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// statement is the signed data: its SHA-256 is the challenge. It contains all details of the approval, so that a
// signature is valid for nothing else.
type statement struct {
	Purpose   string   `json:"purpose"`
	Workspace string   `json:"workspace"`
	Approval  string   `json:"approval"`
	By        string   `json:"by"`
	At        string   `json:"at"`
	Actions   []action `json:"actions"`
}

// action is one that is approved. Its digest binds command, exact params and version.
type action struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Digest  string `json:"digest"`
}

func statementOf(asked *domain.Approval, by domain.Author, approved []domain.ApprovalAction, at time.Time) string {
	s := statement{
		Purpose: "approve in Fermata", Workspace: asked.WorkspaceID, Approval: asked.ID, By: by.ID,
		At: at.UTC().Format(time.RFC3339Nano), Actions: make([]action, len(approved)),
	}
	for i, a := range approved {
		s.Actions[i] = action{a.ID, a.Command, a.Digest}
	}
	text, _ := json.Marshal(s) // texts: cannot fail
	return string(text)
}

// Approve verifies the signature for approving these actions. Without an answer, its error has the challenge to
// sign.
func (s *Service) Approve(
	ctx context.Context, asked *domain.Approval, by domain.Author, approved []domain.ApprovalAction, answer *domain.PasskeyAnswer,
) (*people.PasskeyProof, error) {
	p, at, _, err := s.person(ctx, asked.WorkspaceID, by)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return nil, s.ask(p, at, asked, by, approved)
	}
	now := s.Clock()
	if age := now.Sub(answer.IssuedAt); age > Lives || age < -time.Minute {
		return nil, people.PasskeyWrong("expired", "The five minutes for signing are over.")
	}
	text := statementOf(asked, by, approved, answer.IssuedAt)
	challenge := challengeOf(text)
	signed, err := at.signed(p, base64.RawURLEncoding.EncodeToString(challenge), answer.Credential)
	if err != nil {
		return nil, err
	}
	raw := signed.answer.Raw.AssertionResponse
	evidence, err := json.Marshal(&people.PasskeyEvidence{
		PasskeyID: signed.passkey, CredentialID: inBase64(signed.key.ID), PublicKey: inBase64(signed.key.PublicKey),
		RelyingParty: at.lib.Config.RPID, Signed: text, ClientDataJSON: inBase64(raw.ClientDataJSON),
		AuthenticatorData: inBase64(raw.AuthenticatorData), Signature: inBase64(raw.Signature),
	})
	if err != nil {
		return nil, fmt.Errorf("write what was signed: %w", err)
	}
	return &people.PasskeyProof{
		Use:      domain.PasskeyUse{WorkspaceID: asked.WorkspaceID, PasskeyID: signed.passkey, SignCount: signed.count, At: now},
		Evidence: evidence,
	}, nil
}

func challengeOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

func inBase64(raw []byte) string { return protocol.URLEncodedBase64(raw).String() }

// ask returns the error with the challenge to sign, or the one for a person without passkeys.
func (s *Service) ask(p *person, at *party, asked *domain.Approval, by domain.Author, approved []domain.ApprovalAction) error {
	page := at.origin + "/#/approvals"
	needed := domain.Errorf(domain.CodePasskeyRequired, "This is sensitive: approving it needs a signature with your passkey. "+
		"Nothing was run; the approval is still open. Approve it on the page: %s", page)
	if len(p.keys) == 0 {
		needed.Message = "This is sensitive: approving it needs a signature with a passkey, and you have none in this workspace. " +
			"Nothing was run; the approval is still open. Register one on the page, under Settings, You: " + at.origin + "/#/settings/you"
		return needed
	}
	// To the millisecond, as it is written on the wire.
	issued := s.Clock().UTC().Truncate(time.Millisecond)
	options, err := at.asks(p, challengeOf(statementOf(asked, by, approved, issued)))
	if err != nil {
		return err
	}
	needed.Passkey = &domain.PasskeyRequest{IssuedAt: issued, ExpiresAt: issued.Add(Lives), PublicKey: options}
	return needed
}
