package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What Standard Webhooks (standardwebhooks.com) puts beside a message, and how old a
// message may be.
const (
	HeaderWebhookID        = "webhook-id"
	HeaderWebhookTimestamp = "webhook-timestamp"
	HeaderWebhookSignature = "webhook-signature"

	WebhookTolerance = 5 * time.Minute
)

const (
	secretPrefix = "whsec_"
	signatureV1  = "v1,"
	// The specification's bounds of a secret, in bytes.
	minSecret, maxSecret = 24, 64
	// maxSignatures bounds how many signatures of a message are compared: a sender signs with
	// two while a secret is being replaced.
	maxSignatures = 16
	maxWebhookID  = 256
)

// Why a message is not taken for what it says it is.
var (
	ErrUnsigned  = errors.New("the message is not signed: webhook-id, webhook-timestamp and webhook-signature are needed")
	ErrStale     = errors.New("the message was signed more than five minutes from now")
	ErrForged    = errors.New("no signature of the message is one of a known secret")
	errBadSecret = errors.New("a signing secret is whsec_ and the base64 of 24 to 64 bytes")
)

// NewWebhookSecret makes a secret to sign with.
func NewWebhookSecret() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// SignWebhook puts into header what proves that a body was sent by who has the secrets:
// one signature for each, the newest first. id is the same in every repetition.
func SignWebhook(header http.Header, id string, at time.Time, body []byte, secrets ...string) error {
	if len(secrets) == 0 {
		return errBadSecret
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := webhookKey(secret)
		if err != nil {
			return err
		}
		signatures[i] = signatureV1 + base64.StdEncoding.EncodeToString(webhookMAC(key, id, timestamp, body))
	}
	header.Set(HeaderWebhookID, id)
	header.Set(HeaderWebhookTimestamp, timestamp)
	header.Set(HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}

// VerifyWebhook says whether a body was signed with one of the secrets, not long ago. The
// body is taken as it came, byte for byte, and is not parsed.
func VerifyWebhook(header http.Header, body []byte, now time.Time, secrets ...string) error {
	id, timestamp := header.Get(HeaderWebhookID), header.Get(HeaderWebhookTimestamp)
	given := header.Get(HeaderWebhookSignature)
	if id == "" || len(id) > maxWebhookID || timestamp == "" || given == "" {
		return ErrUnsigned
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != timestamp {
		return ErrUnsigned
	}
	signatures := webhookSignatures(given)
	for _, secret := range secrets {
		key, err := webhookKey(secret)
		if err != nil {
			return err
		}
		want := webhookMAC(key, id, timestamp, body)
		for _, signature := range signatures {
			if hmac.Equal(signature, want) {
				return webhookFresh(seconds, now)
			}
		}
	}
	return ErrForged
}

// webhookFresh is called for signed messages only: it would reveal the server's clock otherwise.
func webhookFresh(seconds int64, now time.Time) error {
	if tolerance := int64(WebhookTolerance / time.Second); seconds < now.Unix()-tolerance || seconds > now.Unix()+tolerance {
		return ErrStale
	}
	return nil
}

func webhookSignatures(header string) [][]byte {
	var out [][]byte
	for text := range strings.FieldsSeq(header) {
		if len(out) == maxSignatures {
			break
		}
		if encoded, ok := strings.CutPrefix(text, signatureV1); ok {
			if signature, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				out = append(out, signature)
			}
		}
	}
	return out
}

func webhookKey(secret string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		return nil, errBadSecret
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) < minSecret || len(key) > maxSecret {
		return nil, errBadSecret
	}
	return key, nil
}

func webhookMAC(key []byte, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	_, _ = mac.Write(body)
	return mac.Sum(nil)
}
