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

// goodFor is how long a push service may take our word for who we are: a day at most (RFC 8292).
const goodFor = 12 * time.Hour

// Sender is who pushes come from: the key that a subscription was made for, and no other, may
// send to it.
type Sender struct{ key *ecdsa.PrivateKey }

// NewSender is the one with this secret number, of 32 bytes. Hardly any is refused.
func NewSender(secret []byte) (*Sender, error) {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
	if err != nil {
		return nil, fmt.Errorf("read the key that pushes are sent with: %w", err)
	}
	return &Sender{key}, nil
}

// Secret is the number that NewSender makes it of again.
func (s *Sender) Secret() []byte {
	raw, err := s.key.Bytes()
	if err != nil {
		return nil // a key of another curve, which NewSender does not make
	}
	return raw
}

// Public is the key as browsers take it (applicationServerKey).
func (s *Sender) Public() string {
	raw, err := s.key.PublicKey.Bytes()
	if err != nil {
		return "" // a key of another curve, which NewSender does not make
	}
	return encode(raw)
}

// authorization says to a push service, for a while, who sends and whom it may ask about it.
func (s *Sender) authorization(service *url.URL, contact string, now time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{
		"aud": service.Scheme + "://" + service.Host, "exp": now.Add(goodFor).Unix(), "sub": contact,
	})
	if err != nil {
		return "", fmt.Errorf("write who sends: %w", err)
	}
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	r, v, err := ecdsa.Sign(rand.Reader, s.key, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign who sends: %w", err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	v.FillBytes(signature[32:])
	return "vapid t=" + signed + "." + encode(signature) + ", k=" + s.Public(), nil
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
