package auth

import (
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

func aLink() *people.ApprovalLink {
	return &people.ApprovalLink{
		WorkspaceID: "default", ApprovalID: "apr_1", Digest: []byte("twelve bytes"), Recipient: "ada@example.org", ExpiresAt: time.Unix(2000, 0),
	}
}

func at(seconds int64) func() time.Time { return func() time.Time { return time.Unix(seconds, 0) } }

// A link says what was signed, and nothing else can be made of it.
func TestALinkCannotBeAltered(t *testing.T) {
	keys := [][]byte{[]byte("a key")}
	links := NewLinks(keys, at(1000))
	token, err := links.Sign(aLink())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := links.Read(token); err != nil || !reflect.DeepEqual(got, aLink()) {
		t.Fatalf("%+v, %v", got, err)
	}
	raw, _ := base64.RawURLEncoding.DecodeString(token)
	for i := range raw {
		for _, bit := range []byte{1, 0x80} {
			altered := append([]byte{}, raw...)
			altered[i] ^= bit
			if got, err := links.Read(base64.RawURLEncoding.EncodeToString(altered)); !errors.Is(err, ErrNoLink) {
				t.Errorf("byte %d: %+v, %v", i, got, err)
			}
		}
	}
	for i := range len(token) {
		if _, err := links.Read(token[:i]); !errors.Is(err, ErrNoLink) {
			t.Errorf("cut after %d: %v", i, err)
		}
	}
	for _, bad := range []string{"", "secret", token + "A", token + "=", " " + token, strings.Repeat("A", 5000)} {
		if _, err := links.Read(bad); !errors.Is(err, ErrNoLink) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	if _, err := NewLinks([][]byte{[]byte("another")}, at(1000)).Read(token); !errors.Is(err, ErrNoLink) {
		t.Errorf("under another key: %v", err)
	}
	if _, err := NewLinks(nil, at(1000)).Sign(aLink()); domain.ErrorCode(err) != domain.CodeConflict {
		t.Errorf("without a key: %v", err)
	}
}

// A link ends when it says, and outlives another secret key that was put in front.
func TestALinkEndsAndOutlivesKeys(t *testing.T) {
	token, err := NewLinks([][]byte{[]byte("old")}, at(1000)).Sign(aLink())
	if err != nil {
		t.Fatal(err)
	}
	both := [][]byte{[]byte("new"), []byte("old")}
	if _, err := NewLinks(both, at(1999)).Read(token); err != nil {
		t.Error(err)
	}
	if got, err := NewLinks(both, at(2000)).Read(token); !errors.Is(err, ErrLinkExpired) || got.ApprovalID != "apr_1" {
		t.Errorf("at its end: %+v, %v", got, err)
	}
}

// An answer counts from the page and the browser that it was shown to, and from no other.
func TestWhoPressed(t *testing.T) {
	links := NewLinks([][]byte{[]byte("a key")}, at(1000))
	shown := links.Shown("token", "browser", time.Unix(1000, 5))
	other := links.Shown("token", "another", time.Unix(1000, 0))
	for name, c := range map[string]struct {
		token, browser, at, nonce, figures string
		good                               bool
	}{
		"pressed":            {"token", "browser", shown.At(), shown.Nonce(), "", true},
		"typed":              {"token", "browser", shown.At(), "", shown.Figures(), true},
		"nothing":            {"token", "browser", shown.At(), "", "", false},
		"without the cookie": {"token", "", shown.At(), shown.Nonce(), "", false},
		"another browser":    {"token", "another", shown.At(), shown.Nonce(), "", false},
		"another's page":     {"token", "browser", shown.At(), other.Nonce(), other.Figures(), false},
		"another link":       {"tokem", "browser", shown.At(), shown.Nonce(), "", false},
		"another time":       {"token", "browser", "1970-01-01T00:16:41Z", shown.Nonce(), "", false},
		"no time":            {"token", "browser", "", shown.Nonce(), "", false},
		"the wrong figures":  {"token", "browser", shown.At(), "", "00000", false},
	} {
		if got := links.Pressed(c.token, c.browser, c.at, c.nonce, c.figures); got != c.good {
			t.Errorf("%s: %t", name, got)
		}
	}
	late := NewLinks([][]byte{[]byte("a key")}, at(1000+int64(showingLife/time.Second)+1))
	if late.Pressed("token", "browser", shown.At(), shown.Nonce(), "") {
		t.Error("a page that was shown long ago counts")
	}
	rotated := NewLinks([][]byte{[]byte("new"), []byte("a key")}, at(1001))
	if !rotated.Pressed("token", "browser", shown.At(), shown.Nonce(), "") {
		t.Error("a page that was shown before another secret key does not count")
	}
}
