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

// Push is a message for one browser, to be sent to its push service.
type Push struct {
	Endpoint string
	Browser  *Browser
	Sender   *Sender
	Contact  string // // mailto: or https: URL for the push service's operator
	Text     []byte
	// Topic replaces a waiting message with the same topic. It has at most 32 base64url characters.
	Topic string
	// TTL is how long the push service may store it for an offline browser.
	TTL    time.Duration
	Urgent bool
}

// Request builds the HTTP request to the push service.
func (p *Push) Request(ctx context.Context, now time.Time) (*http.Request, error) {
	to, err := url.Parse(p.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("invalid endpoint")
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
		return nil, fmt.Errorf("invalid endpoint")
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Content-Encoding", "aes128gcm")
	request.Header.Set("Authorization", who)
	request.Header.Set("Ttl", strconv.Itoa(int(math.Ceil(p.TTL.Seconds()))))
	request.Header.Set("Topic", p.Topic)
	request.Header.Set("Urgency", map[bool]string{true: "high", false: "normal"}[p.Urgent])
	return request, nil
}
