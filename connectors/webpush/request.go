package webpush

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Push is a message for one browser, to be handed to its push service.
type Push struct {
	Endpoint string
	Browser  *Browser
	Sender   *Sender
	Contact  string // mailto: or https: of whom the push service may ask
	Text     []byte
	// Topic replaces what still waits there under the same one: 32 characters of base64url at most.
	Topic string
	// TTL is how long it may wait for the browser.
	TTL    time.Duration
	Urgent bool
}

// Request is the push as its service takes it.
func (p *Push) Request(ctx context.Context, now time.Time) (*http.Request, error) {
	to, err := url.Parse(p.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("the endpoint cannot be read")
	}
	body, err := p.Browser.Encrypt(p.Text)
	if err != nil {
		return nil, err
	}
	who, err := p.Sender.authorization(to, p.Contact, now)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("the endpoint cannot be read")
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Content-Encoding", "aes128gcm")
	request.Header.Set("Authorization", who)
	request.Header.Set("Ttl", strconv.Itoa(int(math.Ceil(p.TTL.Seconds()))))
	request.Header.Set("Topic", p.Topic)
	request.Header.Set("Urgency", map[bool]string{true: "high", false: "normal"}[p.Urgent])
	return request, nil
}
