// Package pushservice is a push service with browsers, for tests. It validates pushes like a real one, and
// decrypts them with the browser's key. It shares no code with the sender.
package pushservice

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fermata-dev/fermata/internal/clock"
)

// Service is a push service.
type Service struct {
	*httptest.Server
	// Clock is the sender's clock.
	Clock clock.Clock
	t     testing.TB

	mu       sync.Mutex
	browsers map[string]*Browser
	taken    []Push
	asked    []Push
	// answer, if set, is called for each push before it is accepted: a status other than 0 is the response.
	// It is called without a lock.
	answer func(*Push, http.ResponseWriter) int
	// kept, if set, is called for each accepted push before the response.
	kept func(*Push)
}

// Browser is a browser with a subscription.
type Browser struct {
	Endpoint, P256dh, Auth string
	// sender is the only allowed sender; "": any.
	sender string
	key    *ecdh.PrivateKey
	auth   []byte
}

// Push is a push received for a browser.
type Push struct {
	Browser        *Browser
	Text           []byte
	Size           int // of the body
	TTL            int // seconds
	Topic, Urgency string
	Subject        string // the sender's contact
	At             time.Time
}

// New starts a service, without TLS.
func New(t testing.TB) *Service {
	t.Helper()
	s := &Service{Clock: clock.System, t: t, browsers: map[string]*Browser{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.take))
	t.Cleanup(s.Close)
	return s
}

// Browser subscribes a browser, for a sender's key.
func (s *Service) Browser(sender string) *Browser {
	s.t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	auth := make([]byte, 16)
	_, _ = rand.Read(auth)
	s.mu.Lock()
	defer s.mu.Unlock()
	path := fmt.Sprintf("/push/%d-%x", len(s.browsers)+1, auth[:4])
	b := &Browser{Endpoint: s.URL + path, P256dh: encode(key.PublicKey().Bytes()), Auth: encode(auth), sender: sender, key: key, auth: auth}
	s.browsers[path] = b
	return b
}

// Forget ends a browser's subscription, as its user does.
func (s *Service) Forget(b *Browser) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.browsers, strings.TrimPrefix(b.Endpoint, s.URL))
}

// Answer sets the function that decides about each push.
func (s *Service) Answer(with func(*Push, http.ResponseWriter) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = with
}

// Kept sets a function to call after a push was accepted and before the response.
func (s *Service) Kept(do func(*Push)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = do
}

// Taken lists the accepted pushes, in order.
func (s *Service) Taken() []Push {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Push(nil), s.taken...)
}

// Asked lists all pushes, accepted or not.
func (s *Service) Asked() []Push {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Push(nil), s.asked...)
}

func (s *Service) take(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	b, answer := s.browsers[r.URL.Path], s.answer
	s.mu.Unlock()
	if b == nil {
		w.WriteHeader(http.StatusGone)
		return
	}
	p, status, err := s.read(b, r)
	if err != nil {
		if status != brokeOff { // otherwise the sender died while sending
			s.t.Errorf("a push that a service rejects with %d: %v", status, err)
			w.WriteHeader(status)
		}
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, *p)
	s.mu.Unlock()
	if answer != nil {
		if status := answer(p, w); status != 0 {
			w.WriteHeader(status)
			return
		}
	}
	s.mu.Lock()
	s.taken = append(s.taken, *p)
	kept := s.kept
	s.mu.Unlock()
	if kept != nil {
		kept(p)
	}
	w.WriteHeader(http.StatusCreated)
}

// brokeOff is no status: the push was incomplete.
const brokeOff = 0

// read validates a push as a push service does, and decrypts it as a browser does.
func (s *Service) read(b *Browser, r *http.Request) (*Push, int, error) {
	subject, err := s.vouched(b, r.Header.Get("Authorization"))
	if err != nil {
		return nil, http.StatusForbidden, err
	}
	p := &Push{Browser: b, Topic: r.Header.Get("Topic"), Urgency: r.Header.Get("Urgency"), Subject: subject, At: s.Clock()}
	if p.TTL, err = strconv.Atoi(r.Header.Get("TTL")); err != nil || p.TTL < 0 {
		return nil, http.StatusBadRequest, fmt.Errorf("the TTL is %q", r.Header.Get("TTL"))
	}
	if len(p.Topic) > 32 || strings.Trim(p.Topic, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return nil, http.StatusBadRequest, fmt.Errorf("the topic is %q", p.Topic)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, brokeOff, err
	}
	if p.Size = len(body); p.Size > 4096 {
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("it has %d bytes", p.Size)
	}
	if r.Header.Get("Content-Encoding") != "aes128gcm" {
		return nil, http.StatusBadRequest, fmt.Errorf("the encoding is %q", r.Header.Get("Content-Encoding"))
	}
	if p.Text, err = b.open(body); err != nil {
		return nil, http.StatusBadRequest, err
	}
	return p, 0, nil
}

// vouched verifies the sender (RFC 8292), and returns its contact.
func (s *Service) vouched(b *Browser, header string) (string, error) {
	rest, ok := strings.CutPrefix(header, "vapid t=")
	token, key, two := strings.Cut(rest, ", k=")
	if !ok || !two {
		return "", fmt.Errorf("there is no VAPID header: %q", header)
	}
	if b.sender != "" && key != b.sender {
		return "", fmt.Errorf("the browser subscribed to %s, and %s sends", b.sender, key)
	}
	raw, err := base64.RawURLEncoding.DecodeString(key)
	if err != nil {
		return "", fmt.Errorf("the key is %q", key)
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		return "", fmt.Errorf("the key is %q: %w", key, err)
	}
	signed, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return "", err
	}
	payload, err := signed.Verify(public)
	if err != nil {
		return "", err
	}
	var claims struct {
		Aud string `json:"aud"`
		Sub string `json:"sub"`
		Exp int64  `json:"exp"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		return "", err
	}
	left := time.Unix(claims.Exp, 0).Sub(s.Clock())
	if claims.Aud != s.URL || left <= 0 || left > 24*time.Hour || !strings.HasPrefix(claims.Sub, "mailto:") && !strings.HasPrefix(claims.Sub, "http") {
		return "", fmt.Errorf("it says %+v, which leaves %s", claims, left)
	}
	return claims.Sub, nil
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
