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

	"github.com/fermata-dev/fermata/connectors/webhooks"
	"github.com/fermata-dev/fermata/connectors/webpush"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

const (
	// pushTimeout bounds one try, from the first byte to the answer's headers.
	pushTimeout = 15 * time.Second
	// A push waits at its service for a browser that is away, as long as there is something to
	// answer, and no longer than this.
	longestWait = 7 * 24 * time.Hour
	testWait    = 5 * time.Minute
)

// Pusher carries news to browsers.
type Pusher struct {
	News
	Client *http.Client  // of internal/egress
	Policy egress.Policy // that of Client
	// Sender sends to the subscriptions that are made now, and Contact is whom push services may ask.
	Sender  *webpush.Sender
	Contact string
	Page    string // where browsers reach the page, without a / at the end
	Agent   string // who we are: fermata/1.2.3
	Log     zerolog.Logger
}

var _ webhooks.Carrier = (*Pusher)(nil)

// SenderOf makes the key that pushes are signed with of the secret key: the same on all nodes and
// after a restart.
func SenderOf(derive func(purpose string) []byte) (*webpush.Sender, error) {
	for n := range 8 { // of four thousand million numbers one is no key
		sender, err := webpush.NewSender(derive(fmt.Sprintf("push sender %d", n)))
		if err == nil {
			return sender, nil
		}
	}
	return nil, errors.New("make the key that pushes are signed with: there is no secret key")
}

// receiver is what is sealed of a subscription: the browser's keys, and the key that it was made
// for. No other may send to it, also when the secret key is another by then.
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

// Carry sends one push to one browser, under a topic that is the same at each try: what still
// waits there for a browser that is away, it replaces.
func (p *Pusher) Carry(ctx context.Context, h *domain.Webhook, secret, id string, e *domain.LogEvent) webhooks.Outcome {
	now := p.Clock()
	if h.Over(now) {
		return webhooks.Outcome{Result: webhooks.Gone, Detail: "the subscription is over"}
	}
	t, done := p.of(ctx, e, h.ID)
	if done != nil {
		return *done
	}
	text, err := t.in(h.Language).push(p.Page)
	if err != nil {
		p.Log.Error().Err(err).Str("webhook", h.ID).Msg("a push could not be written")
		return webhooks.Outcome{Result: webhooks.Rejected, Detail: "the push could not be written"}
	}
	return p.send(ctx, h, secret, webpush.Push{Text: text, Topic: topicOf(id), TTL: t.waits(now), Urgent: true})
}

// Try sends a push that is no news, once.
func (p *Pusher) Try(ctx context.Context, h *domain.Webhook, secret string) webhooks.Outcome {
	text, err := trial(h.Language, p.Page)
	if err != nil {
		return webhooks.Outcome{Result: webhooks.Rejected, Detail: "the push could not be written"}
	}
	return p.send(ctx, h, secret, webpush.Push{Text: text, Topic: topicOf(h.ID + "_test"), TTL: testWait})
}

// topicOf is a name as push services take it.
func topicOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// waits is how long it may wait for its browser: as long as one of what is asked can be answered.
func (t *told) waits(now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, a := range t.asked {
		if a.ExpiresAt == nil {
			return longestWait
		}
		longest = max(longest, a.ExpiresAt.Sub(now))
	}
	return min(longest, longestWait)
}

func (p *Pusher) send(ctx context.Context, h *domain.Webhook, secret string, push webpush.Push) webhooks.Outcome {
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
	egress.Discard(response.Body) // the status says it all
	o := webhooks.Outcome{Status: response.StatusCode, RetryAfter: webhooks.RetryAfterOf(response.Header.Get("Retry-After"), p.Clock())}
	if o.Result = resultOf(o.Status, o.RetryAfter); o.Result != webhooks.Delivered {
		o.Detail = fmt.Sprintf("the push service answered %d %s", o.Status, http.StatusText(o.Status))
	}
	return o
}

// request makes it, or says in words for people why not.
func (p *Pusher) request(ctx context.Context, h *domain.Webhook, secret string, push webpush.Push) (*http.Request, string) {
	var to receiver
	if err := json.Unmarshal([]byte(secret), &to); err != nil {
		return nil, "the keys of the subscription cannot be read"
	}
	var err error
	if push.Browser, push.Sender, err = to.open(); err != nil {
		return nil, "the keys of the subscription cannot be read"
	}
	address, err := url.Parse(h.URL)
	// What was allowed when the browser subscribed may have been closed since.
	if err != nil || address.Scheme != "https" && !p.Policy.AllowsPlain(ctx, address) {
		return nil, "not allowed without TLS (https)"
	}
	push.Endpoint, push.Contact = h.URL, p.Contact
	request, err := push.Request(ctx, p.Clock())
	if err != nil {
		p.Log.Error().Err(err).Str("webhook", h.ID).Msg("a push could not be made")
		return nil, "the push could not be made"
	}
	request.Header.Set("User-Agent", p.Agent)
	return request, ""
}

// resultOf says what a push service means. A browser that is not known any more is gone, and what
// was refused as it is would be refused again.
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
