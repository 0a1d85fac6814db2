// Package device is an authenticator with passkeys, for tests: it creates and uses them as WebAuthn requires,
// on a page of any origin.
package device

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"
)

// Device is an authenticator with one passkey.
type Device struct {
	Origin string // of the page it is used on
	Count  uint32 // signature counter
	// Unverified: it does not verify its user.
	Unverified bool

	key  *ecdsa.PrivateKey
	id   []byte
	user string
}

// Flags of the authenticator data.
const (
	userPresent  = 0x01
	userVerified = 0x04
	withKey      = 0x40
)

type options struct {
	Challenge string `json:"challenge"`
	RPID      string `json:"rpId"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
}

func read(t testing.TB, publicKey []byte) options {
	t.Helper()
	var o options
	if err := json.Unmarshal(publicKey, &o); err != nil || o.Challenge == "" {
		t.Fatalf("these are not WebAuthn options: %s", publicKey)
	}
	return o
}

func text(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (d *Device) client(kind, challenge string) []byte {
	raw, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": false})
	return raw
}

// data is the authenticator data: relying party, flags and counter.
func (d *Device) data(rpID string, more byte) []byte {
	sum := sha256.Sum256([]byte(rpID))
	flags := userPresent | more
	if !d.Unverified {
		flags |= userVerified
	}
	return binary.BigEndian.AppendUint32(append(sum[:], flags), d.Count)
}

// Make creates the passkey, and returns what a browser would send.
func (d *Device) Make(t testing.TB, publicKey []byte) json.RawMessage {
	t.Helper()
	o := read(t, publicKey)
	var err error
	if d.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	d.id, d.user = make([]byte, 16), o.User.ID
	_, _ = rand.Read(d.id) // never fails
	data := d.data(o.RP.ID, withKey)
	data = append(data, make([]byte, 16)...) // AAGUID: none
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id)))
	data = append(append(data, d.id...), cose(t, &d.key.PublicKey)...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return d.credential(map[string]any{
		"clientDataJSON": text(d.client("webauthn.create", o.Challenge)), "attestationObject": text(append(object, data...)),
		"transports": []string{"internal"},
	})
}

// cose encodes a P-256 key as CBOR.
func cose(t testing.TB, key *ecdsa.PublicKey) []byte {
	t.Helper()
	point, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	out := append([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, point[1:33]...)
	return append(append(out, 0x22, 0x58, 32), point[33:]...)
}

// Sign signs a challenge, and returns what a browser would send.
func (d *Device) Sign(t testing.TB, publicKey []byte) json.RawMessage {
	t.Helper()
	o := read(t, publicKey)
	d.Count++
	client, data := d.client("webauthn.get", o.Challenge), d.data(o.RPID, 0)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(slices.Concat(data, hash[:]))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return d.credential(map[string]any{
		"clientDataJSON": text(client), "authenticatorData": text(data), "signature": text(signature), "userHandle": d.user,
	})
}

func (d *Device) credential(response map[string]any) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{
		"id": text(d.id), "rawId": text(d.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	})
	return raw
}
