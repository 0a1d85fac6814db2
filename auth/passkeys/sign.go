package passkeys

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// asks are the options of a browser that has one of a person's passkeys sign a challenge.
func (at *party) asks(p *person, challenge []byte) (json.RawMessage, error) {
	options := protocol.PublicKeyCredentialRequestOptions{
		Challenge: challenge, Timeout: int(Lives.Milliseconds()), RelyingPartyID: at.lib.Config.RPID,
		UserVerification: protocol.VerificationRequired,
	}
	for i := range p.keys {
		options.AllowedCredentials = append(options.AllowedCredentials, p.keys[i].Descriptor())
	}
	text, err := json.Marshal(&options)
	if err != nil {
		return nil, fmt.Errorf("write what has to be signed: %w", err)
	}
	return text, nil
}

// signature is an answer that holds.
type signature struct {
	passkey string // its id
	count   uint32
	key     webauthn.Credential
	answer  *protocol.ParsedCredentialAssertionData
}

// signed checks that one of a person's passkeys signed a challenge, on this server's page, and
// asked them who they are.
func (at *party) signed(p *person, challenge string, answer json.RawMessage) (*signature, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, people.PasskeyWrong("unreadable", "This is nothing that a passkey signed.")
	}
	if !readsExactly(parsed.Raw.AssertionResponse.ClientDataJSON, &parsed.Response.CollectedClientData) {
		return nil, people.PasskeyWrong("unreadable", "This is nothing that a passkey signed.")
	}
	place := -1
	for i := range p.keys {
		if string(p.keys[i].ID) == string(parsed.RawID) {
			place = i
		}
	}
	if place < 0 {
		return nil, people.PasskeyWrong("not_yours", "This is none of your passkeys in this workspace.")
	}
	key, err := at.lib.ValidateLogin(p, webauthn.SessionData{
		Challenge: challenge, RelyingPartyID: at.lib.Config.RPID, UserID: p.handle, UserVerification: protocol.VerificationRequired,
	}, parsed)
	if err != nil {
		return nil, wrongSigned(challenge, parsed, err)
	}
	if key.Authenticator.CloneWarning {
		return nil, people.PasskeyWrong("count",
			"The passkey's count of signatures did not grow: this one was shown before, or there is a copy of the passkey.")
	}
	return &signature{p.ids[place], key.Authenticator.SignCount, *key, parsed}, nil
}

// readsExactly says whether the data that was signed says, by exact names and each once, what the
// library read of it: that one takes names in any case.
func readsExactly(signed []byte, read *protocol.CollectedClientData) bool {
	var exact struct {
		Type        string `json:"type"`
		Challenge   string `json:"challenge"`
		Origin      string `json:"origin"`
		TopOrigin   string `json:"topOrigin"`
		CrossOrigin bool   `json:"crossOrigin"`
	}
	return exactjson.Unmarshal(signed, &exact) == nil && exact.Type == string(read.Type) && exact.Challenge == read.Challenge &&
		exact.Origin == read.Origin && exact.TopOrigin == read.TopOrigin && exact.CrossOrigin == read.CrossOrigin
}

// wrongSigned says what is wrong with a signature: first what people can do something about.
func wrongSigned(challenge string, parsed *protocol.ParsedCredentialAssertionData, err error) error {
	if parsed.Response.CollectedClientData.Challenge != challenge {
		return people.PasskeyWrong("other_challenge",
			"The passkey signed something else: another approval, other actions or params, or an earlier request.")
	}
	why := "The signature does not hold"
	if known, ok := errors.AsType[*protocol.Error](err); ok && known.Details != "" {
		why += ": " + known.Details
	}
	return people.PasskeyWrong("signature", why+".")
}
