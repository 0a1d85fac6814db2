package webpush

import (
	"bytes"
	"crypto/ecdh"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
)

func raw(t *testing.T, text string) []byte {
	t.Helper()
	out, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The example of RFC 8291 (section 5, appendix A), byte for byte.
func TestTheExampleOfTheStandard(t *testing.T) {
	const (
		point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
		want  = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
			"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	)
	b, err := ReadBrowser(point, "BTBZMqHH6r4Tts7J_aSIgg")
	if err != nil {
		t.Fatal(err)
	}
	once, err := ecdh.P256().NewPrivateKey(raw(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.encrypt(once, raw(t, "DGv6ra1nlYgDCS1FRnbzlw"), []byte("When I grow up, I want to be a watermelon"), 0)
	if err != nil || !bytes.Equal(got, raw(t, want)) {
		t.Errorf("%v\n got %s\nwant %s", err, encode(got), want)
	}
}

// TestABrowserReadsIt verifies that a browser decrypts exactly what was sent and that its push service can identify
// the sender; others cannot distinguish short messages by their length.
func TestABrowserReadsIt(t *testing.T) {
	s := pushservice.New(t)
	from, err := NewSender(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	to := s.Browser(from.Public())
	keys, err := ReadBrowser(to.P256dh, to.Auth)
	if err != nil {
		t.Fatal(err)
	}
	send := func(text string) error {
		p := &Push{
			Endpoint: to.Endpoint, Browser: keys, Sender: from, Contact: "mailto:fermata@example.org", Text: []byte(text), Topic: "t-1",
			TTL: 1500 * time.Millisecond, Urgent: true,
		}
		r, err := p.Request(t.Context(), time.Now())
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		return res.Body.Close()
	}
	texts := []string{"", "a", strings.Repeat("é", 200), strings.Repeat("x", MaxText)}
	for _, text := range texts {
		if err := send(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := send(strings.Repeat("x", MaxText+1)); err == nil {
		t.Error("a message that is too long was sent")
	}
	got := s.Taken()
	for i, text := range texts {
		if p := got[i]; string(p.Text) != text || p.TTL != 2 || p.Topic != "t-1" || p.Urgency != "high" || p.Subject != "mailto:fermata@example.org" {
			t.Errorf("of %d bytes came %+v", len(text), p)
		}
	}
	if got[0].Size != got[1].Size || got[3].Size != recordSize {
		t.Errorf("the sizes are %d, %d and %d", got[0].Size, got[1].Size, got[3].Size)
	}
}

func TestKeysOfNoBrowser(t *testing.T) {
	good := pushservice.New(t).Browser("")
	for _, bad := range []string{"", "AA", good.Auth, good.P256dh[:80], "!" + good.P256dh[1:], encode(make([]byte, pointSize)),
		encode(append([]byte{4}, bytes.Repeat([]byte{9}, 64)...))} {
		if _, err := ReadBrowser(bad, good.Auth); err == nil {
			t.Errorf("the key %q was taken", bad)
		}
	}
	for _, bad := range []string{"", "AA", good.P256dh, good.Auth + "AA"} {
		if _, err := ReadBrowser(good.P256dh, bad); err == nil {
			t.Errorf("the secret %q was taken", bad)
		}
	}
	if _, err := ReadBrowser(good.P256dh+"=", good.Auth+"=="); err != nil {
		t.Errorf("with signs at the end: %v", err)
	}
	for _, bad := range [][]byte{nil, make([]byte, 32), bytes.Repeat([]byte{0xff}, 32), make([]byte, 31)} {
		if _, err := NewSender(bad); err == nil {
			t.Errorf("%x was taken for a key", bad)
		}
	}
}
