package auth_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/fermata-dev/fermata/auth"
)

// What we sign, the library of Standard Webhooks takes, and the other way round.
func TestWebhookSignaturesAreThoseOfTheLibrary(t *testing.T) {
	now := time.Now()
	for _, body := range []string{"", "{}", `{"text":"é ` + "\u2028" + `"}`, strings.Repeat("x", 1<<16)} {
		secret, other := auth.NewWebhookSecret(), auth.NewWebhookSecret()
		library, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		if err := auth.SignWebhook(header, "msg_1", now, []byte(body), other, secret); err != nil {
			t.Fatal(err)
		}
		if err := library.Verify([]byte(body), header); err != nil {
			t.Errorf("the library refuses %.20q: %v", body, err)
		}
		signature, err := library.Sign("msg_1", now, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		header.Set(auth.HeaderWebhookSignature, "v1a,AAAA "+signature)
		if err := auth.VerifyWebhook(header, []byte(body), now, other, secret); err != nil {
			t.Errorf("we refuse what the library signed of %.20q: %v", body, err)
		}
	}
}

func TestWebhooksThatAreRefused(t *testing.T) {
	secret, body, now := auth.NewWebhookSecret(), []byte(`{"a":1}`), time.Unix(1_800_000_000, 0)
	signed := func(change func(http.Header)) http.Header {
		header := http.Header{}
		if err := auth.SignWebhook(header, "msg_1", now, body, secret); err != nil {
			t.Fatal(err)
		}
		change(header)
		return header
	}
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	same := func(http.Header) {}
	for name, row := range map[string]struct {
		change func(http.Header)
		body   string
		now    time.Time
		want   error
	}{
		"as it is":           {same, `{"a":1}`, now, nil},
		"at the last second": {same, `{"a":1}`, now.Add(auth.WebhookTolerance), nil},
		"a second too late":  {same, `{"a":1}`, now.Add(auth.WebhookTolerance + time.Second), auth.ErrStale},
		"a second too early": {same, `{"a":1}`, now.Add(-auth.WebhookTolerance - time.Second), auth.ErrStale},
		"another body":       {same, `{"a":2}`, now, auth.ErrForged},
		"another id":         {set("webhook-id", "msg_2"), `{"a":1}`, now, auth.ErrForged},
		"another time":       {set("webhook-timestamp", "1800000001"), `{"a":1}`, now, auth.ErrForged},
		"no id":              {set("webhook-id", ""), `{"a":1}`, now, auth.ErrUnsigned},
		"a long id":          {set("webhook-id", strings.Repeat("x", 257)), `{"a":1}`, now, auth.ErrUnsigned},
		"no time":            {set("webhook-timestamp", ""), `{"a":1}`, now, auth.ErrUnsigned},
		"no number":          {set("webhook-timestamp", "now"), `{"a":1}`, now, auth.ErrUnsigned},
		"another spelling":   {set("webhook-timestamp", "+1800000000"), `{"a":1}`, now, auth.ErrUnsigned},
		"no signature":       {set("webhook-signature", ""), `{"a":1}`, now, auth.ErrUnsigned},
		"another version":    {func(h http.Header) { h.Set("webhook-signature", "v2"+h.Get("webhook-signature")[2:]) }, `{"a":1}`, now, auth.ErrForged},
		"no base64":          {set("webhook-signature", "v1,***"), `{"a":1}`, now, auth.ErrForged},
		"behind 16 others": {func(h http.Header) {
			h.Set("webhook-signature", strings.Repeat("v1,AAAA ", 16)+h.Get("webhook-signature"))
		}, `{"a":1}`, now, auth.ErrForged},
		"stale and forged too": {same, `{"a":2}`, now.Add(time.Hour), auth.ErrForged},
	} {
		if err := auth.VerifyWebhook(signed(row.change), []byte(row.body), row.now, secret); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
	if err := auth.VerifyWebhook(signed(same), body, now, auth.NewWebhookSecret()); !errors.Is(err, auth.ErrForged) {
		t.Errorf("another secret: %v", err)
	}
	if err := auth.VerifyWebhook(signed(same), body, now); !errors.Is(err, auth.ErrForged) {
		t.Errorf("no secret: %v", err)
	}
}

// An empty or short secret signs nothing and verifies nothing.
func TestWebhookSecretsThatAreNone(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "whsec_***",
		"whsec_" + strings.Repeat("A", 88)} {
		header := http.Header{}
		if err := auth.SignWebhook(header, "msg_1", time.Now(), nil, secret); err == nil || len(header) > 0 {
			t.Errorf("%q signs: %v %v", secret, err, header)
		}
		header.Set("webhook-id", "msg_1")
		header.Set("webhook-timestamp", "1800000000")
		header.Set("webhook-signature", "v1,AAAA")
		if err := auth.VerifyWebhook(header, nil, time.Unix(1_800_000_000, 0), secret); err == nil {
			t.Errorf("%q verifies", secret)
		}
	}
	if err := auth.SignWebhook(http.Header{}, "msg_1", time.Now(), nil); err == nil {
		t.Error("no secret signs")
	}
}

// Whatever a header says, it is no signature of a secret that its writer does not have.
func FuzzVerifyWebhook(f *testing.F) {
	f.Add("msg_1", "1800000000", "v1,AAAA", []byte("{}"))
	f.Add("", "-1", "v1, v1,= \x00", []byte(nil))
	secret := auth.NewWebhookSecret()
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		header := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signature}}
		before := bytes.Clone(body)
		if err := auth.VerifyWebhook(header, body, time.Unix(1_800_000_000, 0), secret); err == nil {
			t.Error("taken")
		}
		if !bytes.Equal(before, body) {
			t.Error("the body was changed")
		}
	})
}
