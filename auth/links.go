package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// Links signs addresses, each of which allows its holder to answer one approval. Nothing is stored: a link contains
// the approval's id, and its signature proves that this server made it.
type Links struct {
	keys  [][]byte // the first signs, all verify
	clock func() time.Time
}

// Errors of links.
var (
	ErrNoLink      = errors.New("no link of this server")
	ErrLinkExpired = errors.New("the link has expired")
)

const (
	linkVersion = 1
	linkMAC     = 16
	linkDigest  = 12
	// maxToken is more than any link of ours has.
	maxToken = 1024
)

// NewLinks takes the keys, the one that signs first.
func NewLinks(keys [][]byte, clock func() time.Time) *Links { return &Links{keys, clock} }

// Any says whether there is a key to sign with.
func (l *Links) Any() bool { return len(l.keys) > 0 }

// Sign makes the text of a link: the same each time for the same link.
func (l *Links) Sign(link *people.ApprovalLink) (string, error) {
	if !l.Any() {
		return "", domain.Errorf(domain.CodeConflict,
			"This server has no FERMATA_SECRET_KEY, so it signs no links. Set it (the same on all nodes). Nothing was made.")
	}
	if len(link.Digest) != linkDigest {
		return "", fmt.Errorf("sign a link to %s: its digest has %d bytes", link.ApprovalID, len(link.Digest))
	}
	b := append([]byte{linkVersion}, link.Digest...)
	b = binary.BigEndian.AppendUint64(b, uint64(link.ExpiresAt.Unix()))
	for _, part := range []string{link.WorkspaceID, link.ApprovalID, link.Recipient} {
		if len(part) > 255 {
			return "", fmt.Errorf("sign a link to %s: a part of it has %d bytes", link.ApprovalID, len(part))
		}
		b = append(append(b, byte(len(part))), part...)
	}
	return base64.RawURLEncoding.EncodeToString(append(b, mac(l.keys[0], "link", b)...)), nil
}

// Read verifies and decodes a link. The error is ErrNoLink if this server did not make it. With ErrLinkExpired, the
// link is returned too.
func (l *Links) Read(token string) (*people.ApprovalLink, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token[:min(len(token), maxToken)])
	if err != nil || len(token) > maxToken || len(b) < 1+linkDigest+8+3+linkMAC || b[0] != linkVersion {
		return nil, ErrNoLink
	}
	signed, sum := b[:len(b)-linkMAC], b[len(b)-linkMAC:]
	known := false
	for _, key := range l.keys {
		known = hmac.Equal(sum, mac(key, "link", signed)) || known
	}
	if !known {
		return nil, ErrNoLink
	}
	rest := signed[1+linkDigest:]
	at := binary.BigEndian.Uint64(rest)
	rest = rest[8:]
	var parts [3]string
	for i := range parts {
		if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
			return nil, ErrNoLink
		}
		parts[i], rest = string(rest[1:1+rest[0]]), rest[1+rest[0]:]
	}
	link := &people.ApprovalLink{
		Digest: signed[1 : 1+linkDigest], ExpiresAt: time.Unix(int64(at), 0),
		WorkspaceID: parts[0], ApprovalID: parts[1], Recipient: parts[2],
	}
	if !l.clock().Before(link.ExpiresAt) {
		return link, ErrLinkExpired
	}
	return link, nil
}

// mac is a part of the code of a text under a key, for one use of several.
func mac(key []byte, use string, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(use + "\n")) // a hash refuses nothing
	_, _ = h.Write(text)
	return h.Sum(nil)[:linkMAC]
}

// Showing is one showing of a link's page: to which browser, and when. Only that page, in
// that browser, has what an answer needs: the nonce, or the figures that a person types
// where no script runs.
type Showing struct {
	token, browser string
	at             time.Time
	key            []byte
}

// showingLife is how long an answer may be given after the page was shown.
const showingLife = 12 * time.Hour

// NewBrowser returns a random name of a browser, for its cookie.
func NewBrowser() string { return rand.Text() }

// Shown is a showing of a page; at is when.
func (l *Links) Shown(token, browser string, at time.Time) *Showing {
	return &Showing{token: token, browser: browser, at: at.Truncate(time.Second), key: l.keys[0]}
}

// At is when it was shown, as the page sends it back.
func (s *Showing) At() string { return s.at.UTC().Format(time.RFC3339) }

// Nonce is what the page's script puts into an answer when a person presses a button.
func (s *Showing) Nonce() string { return base64.RawURLEncoding.EncodeToString(s.mac("nonce")) }

// Figures are what a person reads on the page and types where no script runs.
func (s *Showing) Figures() string {
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(s.mac("figures"))%1_000_000)
}

func (s *Showing) mac(use string) []byte {
	return mac(s.key, use, []byte(s.token+"\n"+s.browser+"\n"+s.At()))
}

// Pressed says whether an answer comes from a page that was shown to this browser, by its
// nonce or by the figures that were typed.
func (l *Links) Pressed(token, browser, at, nonce, figures string) bool {
	shown, err := time.Parse(time.RFC3339, at)
	now := l.clock()
	if err != nil || browser == "" || now.Sub(shown) > showingLife || shown.Sub(now) > time.Minute {
		return false
	}
	for _, key := range l.keys {
		s := &Showing{token: token, browser: browser, at: shown, key: key}
		if hmac.Equal([]byte(nonce), []byte(s.Nonce())) || hmac.Equal([]byte(figures), []byte(s.Figures())) {
			return true
		}
	}
	return false
}
