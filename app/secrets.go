package app

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// sealer encrypts secrets at rest (AES-256-GCM), each bound to its place: what was
// sealed for one opens at no other, whoever moves it in the database. Without a key it
// refuses: a secret is never stored in the clear.
type sealer struct {
	keys []sealKey // the first seals, all open
	// mark is the key of the marks in prompts, derived from the first: the same on every node
	// and after a restart. Nil where there is no key.
	mark []byte
}

type sealKey struct {
	id   string // names it in what it sealed; tells nothing of the key
	aead cipher.AEAD
}

// place is what a secret belongs to. Its parts are authenticated with the secret.
type place []string

// providerPlace: a provider's key is for one kind of API at one origin.
func providerPlace(p *domain.Provider, origin string) place {
	return place{"provider", p.WorkspaceID, p.ID, p.Kind, origin}
}

func hookPlace(workspace, automation string) place { return place{"hook", workspace, automation} }

var (
	errOtherKey   = errors.New("it was sealed with another FERMATA_SECRET_KEY")
	errOtherPlace = errors.New("it was sealed for another place")
)

// sealVersion begins what is sealed: "v2.<id of the key>.<base64 of nonce and text>".
// Before, it was the last part alone, bound to the provider's id only.
const sealVersion = "v2."

const sealKeyID = 8 // characters

// newSealer takes the keys, the one that seals first; none: nothing is sealed.
func newSealer(keys [][]byte) (*sealer, error) {
	s := &sealer{}
	for _, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("use the secret key: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("use the secret key: %w", err)
		}
		sum := sha256.Sum256(append([]byte("fermata secret key id\n"), key...))
		s.keys = append(s.keys, sealKey{id: hex.EncodeToString(sum[:])[:sealKeyID], aead: aead})
	}
	if len(keys) > 0 {
		mark := sha256.Sum256(append([]byte("fermata prompt mark\n"), keys[0]...))
		s.mark = mark[:]
	}
	return s, nil
}

// can says whether there is a key to seal with.
func (s *sealer) can() bool { return len(s.keys) > 0 }

// seal encrypts a secret for its place.
func (s *sealer) seal(secret string, at place) (string, error) {
	key := s.keys[0]
	nonce := make([]byte, key.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("seal a secret: %w", err)
	}
	sealed := key.aead.Seal(nonce, nonce, []byte(secret), at.bytes())
	return sealVersion + key.id + "." + base64.StdEncoding.EncodeToString(sealed), nil
}

// open decrypts what seal made for the same place: else errOtherKey or errOtherPlace.
func (s *sealer) open(sealed string, at place) (string, error) {
	rest, ok := strings.CutPrefix(sealed, sealVersion)
	id, text, cut := strings.Cut(rest, ".")
	if !ok || !cut {
		return "", errOtherPlace
	}
	known := false
	for _, key := range s.keys {
		if key.id != id {
			continue
		}
		if secret, err := key.open(text, at.bytes()); err == nil {
			return secret, nil
		}
		known = true
	}
	if known {
		return "", errOtherPlace
	}
	return "", errOtherKey
}

// openFirst decrypts a provider's key as it was sealed at first, bound to nothing but
// the provider.
func (s *sealer) openFirst(sealed, providerID string) (string, error) {
	for _, key := range s.keys {
		if secret, err := key.open(sealed, []byte(providerID)); err == nil {
			return secret, nil
		}
	}
	return "", errOtherKey
}

func (k sealKey) open(text string, bound []byte) (string, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) < k.aead.NonceSize() {
		return "", errOtherPlace
	}
	secret, err := k.aead.Open(nil, b[:k.aead.NonceSize()], b[k.aead.NonceSize():], bound)
	return string(secret), err
}

// bytes is the place without a doubt where one part ends and the next begins.
func (at place) bytes() []byte {
	b, err := json.Marshal(at)
	if err != nil {
		panic(err) // strings are always encoded
	}
	return b
}

// sealProvider encrypts the key that was entered for a provider.
func (s *sealer) sealProvider(secret string, p *domain.Provider, origin string) (string, error) {
	if !s.can() {
		return "", domain.Invalid("/config/api_key", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it stores no provider keys. Set it (the same on all nodes), or name an environment variable in api_key_env.")
	}
	return s.seal(secret, providerPlace(p, origin))
}

// openProvider decrypts a provider's key for an origin, if it was entered for that one.
func (s *sealer) openProvider(p *domain.Provider, origin string) (string, error) {
	var secret string
	var err error
	if strings.HasPrefix(p.SecretSealed, sealVersion) {
		secret, err = s.open(p.SecretSealed, providerPlace(p, origin))
	} else {
		secret, err = s.openFirst(p.SecretSealed, p.ID)
	}
	switch {
	case errors.Is(err, errOtherPlace):
		return "", domain.Errorf("provider_key_unreadable", "The stored key of this provider was entered for another base URL or provider, and goes to no other. Enter the key again.")
	case err != nil:
		return "", domain.Errorf("provider_key_unreadable", "The key of this provider cannot be read: FERMATA_SECRET_KEY is missing or has changed. Enter the key again.")
	}
	return secret, nil
}

// sealHook encrypts the secret of a webhook's URL.
func (s *sealer) sealHook(workspace, automation, token string) (string, error) {
	if !s.can() {
		return "", domain.Invalid("/triggers", "no_secret_key",
			"This server has no FERMATA_SECRET_KEY, so it keeps no webhook URLs. Set it (the same on all nodes). Nothing was changed.")
	}
	return s.seal(token, hookPlace(workspace, automation))
}

// openHook decrypts it. On a server that never had a key it still is as it was made.
func (s *sealer) openHook(a *domain.Automation) (string, error) {
	if !strings.HasPrefix(a.HookSealed, sealVersion) {
		return a.HookSealed, nil
	}
	return s.open(a.HookSealed, hookPlace(a.WorkspaceID, a.ID))
}

// mask shows of a secret what people need to recognise it.
func mask(secret string) string {
	if len(secret) < 12 {
		return "…"
	}
	return secret[:3] + "…" + secret[len(secret)-4:]
}

// isKey says whether a text can be sent as a key: in the header of a request.
func isKey(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
