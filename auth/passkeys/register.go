package passkeys

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// Begin returns the options with which a browser creates a passkey. A person who has passkeys confirms with one of
// them: a stolen sign-in is not enough to add another.
func (s *Service) Begin(ctx context.Context, workspace string, who domain.Author) (*people.PasskeyToMake, error) {
	p, at, known, err := s.person(ctx, workspace, who)
	if err != nil {
		return nil, err
	}
	if err := mayRegister(p, known); err != nil {
		return nil, err
	}
	var there []protocol.CredentialDescriptor
	for i := range p.keys {
		there = append(there, p.keys[i].Descriptor())
	}
	begun, session, err := at.lib.BeginRegistration(p, webauthn.WithExclusions(there))
	if err != nil {
		return nil, fmt.Errorf("begin a registration: %w", err)
	}
	out := &people.PasskeyToMake{ExpiresAt: s.Clock().Add(Lives)}
	if out.PublicKey, err = json.Marshal(begun.Response); err != nil {
		return nil, fmt.Errorf("write what makes a passkey: %w", err)
	}
	if known > 0 {
		if out.Confirm, err = at.asks(p, begun.Response.Challenge); err != nil {
			return nil, err
		}
	}
	return out, s.Store.BeginPasskey(ctx, &people.PasskeyRegistration{
		WorkspaceID: workspace, Owner: who.ID, Challenge: session.Challenge, ExpiresAt: out.ExpiresAt,
	})
}

// mayRegister rejects a person who has deleted all their passkeys: an administrator must reset them first.
func mayRegister(p *person, known int) error {
	switch {
	case known >= people.MaxPasskeys:
		return domain.Errorf(domain.CodeTooMany, "The limit of %d passkeys is reached, including deleted ones. "+
			"An administrator can reset them (DELETE /v1/people/{person_id}/passkeys).", known)
	case known > 0 && len(p.keys) == 0:
		return domain.Errorf(domain.CodePasskeyRequired, "You have deleted all your passkeys here, so there is none to confirm a new one with. "+
			"An administrator can reset them (DELETE /v1/people/{person_id}/passkeys). Nothing was changed.")
	}
	return nil
}

// Finish keeps the passkey that a browser made.
func (s *Service) Finish(ctx context.Context, workspace string, who domain.Author, in people.NewPasskey) (*people.Passkey, error) {
	p, at, known, err := s.person(ctx, workspace, who)
	if err != nil {
		return nil, err
	}
	if err := mayRegister(p, known); err != nil {
		return nil, err
	}
	begun, err := s.Store.PasskeyRegistration(ctx, workspace, who.ID)
	if domain.ErrorCode(err) == domain.CodeNotFound || err == nil && !s.Clock().Before(begun.ExpiresAt) {
		return nil, wrongMade("expired", "This registration is not known, or its five minutes are over. Begin it again.")
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // the store's own words
	}
	made, err := at.made(p, begun.Challenge, in.Credential)
	if err != nil {
		return nil, err
	}
	var use *domain.PasskeyUse
	if known > 0 {
		if use, err = s.confirmed(workspace, p, at, begun.Challenge, in.Confirmation); err != nil {
			return nil, err
		}
	}
	one := &people.Passkey{
		ID: s.NewID(domain.PrefixPasskey), WorkspaceID: workspace, Owner: who.ID, Name: in.Name,
		CredentialID: protocol.URLEncodedBase64(made.ID).String(), SignCount: made.Authenticator.SignCount, CreatedAt: s.Clock(),
	}
	if one.Credential, err = json.Marshal(made); err != nil {
		return nil, fmt.Errorf("write the passkey: %w", err)
	}
	err = s.Store.InsertPasskey(ctx, one, begun.Challenge, known, use)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, wrongMade("expired", "This registration was ended or restarted elsewhere. Begin it again.")
	}
	return one, err //nolint:wrapcheck // the store's own words
}

// confirmed checks what one of the person's passkeys signed for a further one.
func (s *Service) confirmed(workspace string, p *person, at *party, challenge string, answer json.RawMessage) (*domain.PasskeyUse, error) {
	if len(answer) == 0 {
		return nil, domain.Errorf(domain.CodePasskeyRequired,
			"You have a passkey here: sign with it that another one is yours too (confirmation). Nothing was changed.")
	}
	signed, err := at.signed(p, challenge, answer)
	if err != nil {
		return nil, domain.MovePointers(err, func(string) string { return "/confirmation" })
	}
	return &domain.PasskeyUse{WorkspaceID: workspace, PasskeyID: signed.passkey, SignCount: signed.count, At: s.Clock()}, nil
}

// made reads and checks a passkey that a browser made.
func (at *party) made(p *person, challenge string, credential json.RawMessage) (*webauthn.Credential, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(credential)
	if err != nil {
		return nil, wrongMade("unreadable", "This is no passkey that a browser made: "+err.Error()+".")
	}
	if !readsExactly(parsed.Raw.AttestationResponse.ClientDataJSON, &parsed.Response.CollectedClientData) {
		return nil, wrongMade("unreadable", "This is no passkey that a browser made: its client data names a member twice or in another case.")
	}
	made, err := at.lib.CreateCredential(p, webauthn.SessionData{
		Challenge: challenge, RelyingPartyID: at.lib.Config.RPID, UserID: p.handle,
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault(),
	}, parsed)
	if err != nil {
		return nil, wrongMade("refused", "The passkey was not made for this registration: "+err.Error()+".")
	}
	made.Attestation = webauthn.CredentialAttestation{} // who made the device is not asked
	return made, nil
}

// wrongMade says why a passkey cannot be registered.
func wrongMade(code, why string) error {
	return &domain.Error{
		Code: domain.CodePasskeyRefused, Message: why + " Nothing was changed.",
		Fields: []domain.FieldError{{Pointer: "/credential", Code: code, Message: why}},
	}
}
