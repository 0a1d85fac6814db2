package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"time"
)

// goodFor is the validity of the VAPID token: at most a day (RFC 8292).
const goodFor = 12 * time.Hour

// Sender is the key pair that identifies this server to push services. A subscription accepts
// messages only from the key it was created with.
type Sender struct{ key *ecdsa.PrivateKey }

// NewSender returns the sender with this 32-byte private key. Almost every number is valid.
func NewSender(secret []byte) (*Sender, error) {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
	if err != nil {
		return nil, fmt.Errorf("read the key that pushes are sent with: %w", err)
	}
	return &Sender{key}, nil
}

// Secret returns the private key for NewSender.
func (s *Sender) Secret() []byte {
	raw, err := s.key.Bytes()
	if err != nil {
		return nil // // another curve, which NewSender does not create
	}
	return raw
}

// Public returns the public key for browsers (applicationServerKey).
func (s *Sender) Public() string {
	raw, err := s.key.PublicKey.Bytes()
	if err != nil {
		return "" // // another curve, which NewSender does not create
	}
	return encode(raw)
}

// authorization returns the VAPID header, with the sender, its contact and an expiration time.
func (s *Sender) authorization(service *url.URL, contact string, now time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{
		"aud": service.Scheme + "://" + service.Host, "exp": now.Add(goodFor).Unix(), "sub": contact,
	})
	if err != nil {
		return "", fmt.Errorf("encode the VAPID token: %w", err)
	}
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	r, v, err := ecdsa.Sign(rand.Reader, s.key, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign the VAPID token: %w", err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	v.FillBytes(signature[32:])
	return "vapid t=" + signed + "." + encode(signature) + ", k=" + s.Public(), nil
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
