// Package pushservice is a push service with browsers behind it, for tests. It takes what a real
// one takes, refuses what one refuses, and opens with the browser's key what came. It shares no
// code with what sends.
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
	// Clock is that of whoever sends.
	Clock clock.Clock
	t     testing.TB

	mu       sync.Mutex
	browsers map[string]*Browser
	taken    []Push
	asked    []Push
	// answer, if set, is asked about each push, before it is taken: another status than 0 is the
	// answer. It is called with no lock held.
	answer func(*Push, http.ResponseWriter) int
	// kept, if set, is told of each push that was taken, before that is answered.
	kept func(*Push)
}

// Browser is one that can be pushed to.
type Browser struct {
	Endpoint, P256dh, Auth string
	// sender is who may push to it; "": whoever comes.
	sender string
	key    *ecdh.PrivateKey
	auth   []byte
}

// Push is what came for a browser.
type Push struct {
	Browser        *Browser
	Text           []byte
	Size           int // of the body
	TTL            int // seconds
	Topic, Urgency string
	Subject        string // whom to ask about it
	At             time.Time
}

// New starts one, without TLS.
func New(t testing.TB) *Service {
	t.Helper()
	s := &Service{Clock: clock.System, t: t, browsers: map[string]*Browser{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.take))
	t.Cleanup(s.Close)
	return s
}

// Browser subscribes one, for a sender's key.
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

// Forget ends a browser's subscription, as its owner does.
func (s *Service) Forget(b *Browser) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.browsers, strings.TrimPrefix(b.Endpoint, s.URL))
}

// Answer has something said of each push before it is taken.
func (s *Service) Answer(with func(*Push, http.ResponseWriter) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = with
}

// Kept has something done when a push was taken and nobody knows it yet.
func (s *Service) Kept(do func(*Push)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = do
}

// Taken is what came and was taken, in its order.
func (s *Service) Taken() []Push {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Push(nil), s.taken...)
}

// Asked is what came, taken or not.
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
		if status != brokeOff { // else the sender died over it
			s.t.Errorf("a push that a service refuses with %d: %v", status, err)
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

// brokeOff is no status: the push did not come whole.
const brokeOff = 0

// read does what a push service does, and then what the browser does.
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

// vouched checks who sends (RFC 8292), and gives whom to ask about it.
func (s *Service) vouched(b *Browser, header string) (string, error) {
	rest, ok := strings.CutPrefix(header, "vapid t=")
	token, key, two := strings.Cut(rest, ", k=")
	if !ok || !two {
		return "", fmt.Errorf("nobody vouches for it: %q", header)
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
