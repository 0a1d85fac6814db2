package people

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// MaxPasskeys bounds those of one person, with those that they took back.
const MaxPasskeys = 20

// Passkey is a key that a person's own device keeps and uses only when they ask it to
// (WebAuthn). What this server has of it is public.
type Passkey struct {
	ID          string
	WorkspaceID string
	Owner       string // the owner's Author.ID
	Name        string
	// CredentialID names it to the device. Credential is what else is known of it, in the form
	// of the library that checks signatures: its public key above all.
	CredentialID string
	Credential   json.RawMessage
	// SignCount is that of its latest signature. It grows with each; a device that does not
	// count has 0 always.
	SignCount  uint32
	CreatedAt  time.Time
	LastUsedAt *time.Time
	RevokedAt  *time.Time
}

// InUse are those that their owner did not take back.
func InUse(all []*Passkey) []*Passkey {
	return slices.DeleteFunc(slices.Clone(all), func(p *Passkey) bool { return p.RevokedAt != nil })
}

// PasskeyRegistration is one that was begun and not ended. A person has one at a time.
type PasskeyRegistration struct {
	WorkspaceID string
	Owner       string
	Challenge   string
	ExpiresAt   time.Time
}

// NewPasskey is what a browser sends to finish a registration. Confirmation is signed by one of the
// person's passkeys, if they have any.
type NewPasskey struct {
	Name         string
	Credential   json.RawMessage
	Confirmation json.RawMessage
}

// PasskeyToMake is what a browser needs to make a passkey. Confirm is what an existing one has to sign;
// nil: it is the person's first.
type PasskeyToMake struct {
	PublicKey json.RawMessage
	Confirm   json.RawMessage
	ExpiresAt time.Time
}

// PasskeyProof is an answer that was checked.
type PasskeyProof struct {
	Use      domain.PasskeyUse
	Evidence json.RawMessage // a PasskeyEvidence
}

// PasskeyEvidence is kept with an approval. It is enough to check the signature again without this
// server: the challenge is the SHA-256 of Signed, and the rest is in base64url, as WebAuthn has it.
type PasskeyEvidence struct {
	PasskeyID         string `json:"passkey_id"`
	CredentialID      string `json:"credential_id"`
	PublicKey         string `json:"public_key"` // COSE
	RelyingParty      string `json:"relying_party"`
	Signed            string `json:"signed"`
	ClientDataJSON    string `json:"client_data_json"`
	AuthenticatorData string `json:"authenticator_data"`
	Signature         string `json:"signature"`
}

// PasskeyWrong is the error for a rejected signature.
func PasskeyWrong(code, why string) *domain.Error {
	return &domain.Error{
		Code:    domain.CodePasskeyRefused,
		Message: why + " Nothing was changed. Send the request without passkey to get what must be signed.",
		Fields:  []domain.FieldError{{Pointer: "/passkey", Code: code, Message: why}},
	}
}
