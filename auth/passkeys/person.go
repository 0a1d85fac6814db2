package passkeys

import (
	"crypto/sha256"
	"fmt"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// person is an author with their passkeys, in the form of the library.
type person struct {
	handle []byte
	name   string
	keys   []webauthn.Credential
	ids    []string // of passkeys, by the place of their key
}

// personOf returns the owner of passkeys. The handle, which devices store, reveals nothing: it is a hash of the
// workspace and the author's id.
func personOf(workspace string, who domain.Author, all []*people.Passkey) (*person, error) {
	sum := sha256.Sum256([]byte("fermata passkeys\x00" + workspace + "\x00" + who.ID))
	p := &person{handle: sum[:], name: who.Name}
	if p.name == "" {
		p.name = who.ID
	}
	for _, one := range all {
		var key webauthn.Credential
		if err := exactjson.Unmarshal(one.Credential, &key); err != nil {
			return nil, fmt.Errorf("read passkey %s: %w", one.ID, err)
		}
		key.Authenticator.SignCount = one.SignCount
		p.keys, p.ids = append(p.keys, key), append(p.ids, one.ID)
	}
	return p, nil
}

// WebAuthnID is the person's handle on their devices.
func (p *person) WebAuthnID() []byte { return p.handle }

// WebAuthnName is what their devices call them.
func (p *person) WebAuthnName() string { return p.name }

// WebAuthnDisplayName is the same, for people.
func (p *person) WebAuthnDisplayName() string { return p.name }

// WebAuthnCredentials are their passkeys.
func (p *person) WebAuthnCredentials() []webauthn.Credential { return p.keys }
