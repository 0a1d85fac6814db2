package passkeys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"testing"

	"github.com/fermata-dev/fermata/domain/people"
)

// verifies checks what is kept of a signature with nothing but the standard library.
func verifies(t *testing.T, kept *people.PasskeyEvidence) bool {
	t.Helper()
	raw := func(text string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	cose := raw(kept.PublicKey) // a map of five: kind, algorithm, curve, x, y
	point := append([]byte{4}, cose[10:42]...)
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(point, cose[45:77]...))
	if err != nil {
		t.Fatal(err)
	}
	client := sha256.Sum256(raw(kept.ClientDataJSON))
	sum := sha256.Sum256(append(raw(kept.AuthenticatorData), client[:]...))
	return ecdsa.VerifyASN1(key, sum[:], raw(kept.Signature))
}
