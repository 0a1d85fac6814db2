package notify

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/notify/webpush"
)

const (
	// pushTimeout bounds one attempt, from the first byte to the response headers.
	pushTimeout = 15 * time.Second
	// A push service stores a push for an offline browser as long as the approval can be answered,
	// and at most this long.
	longestWait = 7 * 24 * time.Hour
	testWait    = 5 * time.Minute
)

// Pusher delivers notifications to browsers.
type Pusher struct {
	Composer
	Client *http.Client  // of internal/egress
	Policy egress.Policy // that of Client
	// Sender signs pushes to new subscriptions, and Contact is for push services.
	Sender  *webpush.Sender
	Contact string
	Page    string // // base URL of the web app, without a trailing slash
	Agent   string // // User-Agent: fermata/1.2.3
	Log     zerolog.Logger
}

var _ webhooks.Carrier = (*Pusher)(nil)

// SenderOf derives the key that signs pushes from the secret key. It is the same on all nodes and
// after a restart.
func SenderOf(derive func(purpose string) []byte) (*webpush.Sender, error) {
	for n := range 8 { // // one number in four billion is not a valid key
		sender, err := webpush.NewSender(derive(fmt.Sprintf("push sender %d", n)))
		if err == nil {
			return sender, nil
		}
	}
	return nil, errors.New("make the key that pushes are signed with: there is no secret key")
}

// receiver holds the sealed data of a subscription: the browser's keys and the sender key it was
// created with. Only that key may send to it, even if the secret key changes.
type receiver struct {
	P256dh string `json:"p256dh"`
	Auth   string `json:"auth"`
	Sender []byte `json:"sender"`
}

func (r *receiver) open() (*webpush.Browser, *webpush.Sender, error) {
	browser, err := webpush.ReadBrowser(r.P256dh, r.Auth)
	if err != nil {
		return nil, nil, fmt.Errorf("read the browser's keys: %w", err)
	}
	sender, err := webpush.NewSender(r.Sender)
	if err != nil {
		return nil, nil, err
	}
	return browser, sender, nil
}

// Carry sends one push to one browser. Its topic is the same in each attempt, so that a retry
// replaces a push that is still waiting at the service.
func (p *Pusher) Carry(ctx context.Context, h *outside.Webhook, secret, id string, e *domain.LogEvent) webhooks.Outcome {
	now := p.Clock()
	if h.Over(now) {
		return webhooks.Outcome{Result: webhooks.Gone, Detail: "the subscription has expired"}
	}
	t, done := p.of(ctx, e, h.ID)
	if done != nil {
		return *done
	}
	text, err := t.in(h.Language).push(p.Page)
	if err != nil {
		p.Log.Error().Err(err).Str("webhook", h.ID).Msg("a push could not be composed")
		return webhooks.Outcome{Result: webhooks.Rejected, Detail: "the push could not be composed"}
	}
	return p.send(ctx, h, secret, webpush.Push{Text: text, Topic: topicOf(id), TTL: t.waits(now), Urgent: true})
}

// Try sends a test push, once.
func (p *Pusher) Try(ctx context.Context, h *outside.Webhook, secret string) webhooks.Outcome {
	text, err := trial(h.Language, p.Page)
	if err != nil {
		return webhooks.Outcome{Result: webhooks.Rejected, Detail: "the push could not be composed"}
	}
	return p.send(ctx, h, secret, webpush.Push{Text: text, Topic: topicOf(h.ID + "_test"), TTL: testWait})
}

// topicOf returns a topic in the format of push services.
func topicOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// waits returns how long the push may be stored: as long as one of its approvals can be answered.
func (t *message) waits(now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, a := range t.asked {
		if a.ExpiresAt == nil {
			return longestWait
		}
		longest = max(longest, a.ExpiresAt.Sub(now))
	}
	return min(longest, longestWait)
}

func (p *Pusher) send(ctx context.Context, h *outside.Webhook, secret string, push webpush.Push) webhooks.Outcome {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	request, detail := p.request(ctx, h, secret, push)
	if detail != "" {
		return webhooks.Outcome{Result: webhooks.Rejected, Detail: detail}
	}
	response, err := egress.Of(p.Client, h.WorkspaceID).Do(request) //nolint:bodyclose // Discard closes it
	if err != nil {
		result, status, detail := webhooks.Unanswered(err)
		return webhooks.Outcome{Result: result, Status: status, Detail: detail}
	}
	egress.Discard(response.Body) // // the status is enough
	o := webhooks.Outcome{Status: response.StatusCode, RetryAfter: webhooks.RetryAfterOf(response.Header.Get("Retry-After"), p.Clock())}
	if o.Result = resultOf(o.Status, o.RetryAfter); o.Result != webhooks.Delivered {
		o.Detail = fmt.Sprintf("the push service responded with %d %s", o.Status, http.StatusText(o.Status))
	}
	return o
}

// request builds the request, or returns a detail for people if that is not possible.
func (p *Pusher) request(ctx context.Context, h *outside.Webhook, secret string, push webpush.Push) (*http.Request, string) {
	var to receiver
	if err := json.Unmarshal([]byte(secret), &to); err != nil {
		return nil, "the keys of the subscription cannot be read"
	}
	var err error
	if push.Browser, push.Sender, err = to.open(); err != nil {
		return nil, "the keys of the subscription cannot be read"
	}
	address, err := url.Parse(h.URL)
	// An address that was allowed when the browser subscribed may have been disallowed since.
	if err != nil || address.Scheme != "https" && !p.Policy.AllowsPlain(ctx, address) {
		return nil, "not allowed without TLS (https)"
	}
	push.Endpoint, push.Contact = h.URL, p.Contact
	request, err := push.Request(ctx, p.Clock())
	if err != nil {
		p.Log.Error().Err(err).Str("webhook", h.ID).Msg("a push could not be created")
		return nil, "the push could not be created"
	}
	request.Header.Set("User-Agent", p.Agent)
	return request, ""
}

// resultOf classifies the status of a push service. 404 means that the browser is gone, and other
// client errors would repeat.
func resultOf(status int, retryAfter time.Duration) webhooks.Result {
	switch {
	case status == http.StatusNotFound:
		return webhooks.Gone
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return webhooks.Refused
	}
	result := webhooks.ResultOf(status, retryAfter)
	if result == webhooks.Refused && status >= 400 && status < 500 {
		return webhooks.Rejected
	}
	return result
}
