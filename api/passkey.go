package api

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// PasskeyFrom is a passkey as its owner sees it.
func PasskeyFrom(p *people.Passkey) *Passkey {
	return &Passkey{ID: p.ID, Name: p.Name, CreatedAt: Time(p.CreatedAt), LastUsedAt: timePtr(p.LastUsedAt)}
}

// PasskeyToMakeFrom is what a browser needs to make one.
func PasskeyToMakeFrom(p *people.PasskeyToMake) *PasskeyToMake {
	out := &PasskeyToMake{PublicKey: objectOf(p.PublicKey), ExpiresAt: Time(p.ExpiresAt)}
	if len(p.Confirm) > 0 {
		out.Confirm = p.Confirm
	}
	return out
}

// PasskeyRequestFrom is what has to be signed; nil is nothing.
func PasskeyRequestFrom(r *domain.PasskeyRequest) *PasskeyRequest {
	if r == nil {
		return nil
	}
	return &PasskeyRequest{IssuedAt: Time(r.IssuedAt), ExpiresAt: Time(r.ExpiresAt), PublicKey: objectOf(r.PublicKey)}
}

func evidenceFrom(stored json.RawMessage) *PasskeyEvidence {
	var evidence PasskeyEvidence
	if len(stored) == 0 || json.Unmarshal(stored, &evidence) != nil {
		return nil
	}
	return &evidence
}

// Domain is the passkey that a browser made.
func (in *NewPasskey) Domain() people.NewPasskey {
	return people.NewPasskey{Name: in.Name, Credential: in.Credential, Confirmation: notNull(in.Confirmation)}
}

func (in *PasskeyAnswer) domain() *domain.PasskeyAnswer {
	if in == nil {
		return nil
	}
	return &domain.PasskeyAnswer{IssuedAt: Value(in.IssuedAt), Credential: in.Credential}
}
