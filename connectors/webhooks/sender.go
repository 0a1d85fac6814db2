package webhooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/traces"
)

const (
	// sendTimeout bounds one try, from the first byte to the answer's headers.
	sendTimeout = 15 * time.Second
	// An answer says all that counts with its status. A short body is read to its end, so
	// that the connection can be used again; for another one nobody waits.
	maxDrained   = 4 << 10
	drainTimeout = time.Second
)

// sender sends one message, once.
type sender struct {
	client *http.Client
	policy egress.Policy
	agent  string
	clock  clock.Clock
}

// send sends an event to a webhook and says what came of it.
func (s *sender) send(ctx context.Context, h *domain.Webhook, secrets []string, id string, e *domain.LogEvent, link string) outcome {
	o := outcome{result: Unreachable, at: s.clock()}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	request, err := s.request(ctx, h, secrets, id, body(e, link), e, o.at)
	if err != nil {
		o.detail = err.Error()
		return o
	}
	response, err := egress.Of(s.client, h.WorkspaceID).Do(request)
	o.took = s.clock().Sub(o.at)
	if err != nil {
		o.result, o.status, o.detail = Unanswered(err)
		return o
	}
	o.status = response.StatusCode
	o.retryAfter = RetryAfterOf(response.Header.Get("Retry-After"), s.clock())
	o.result = ResultOf(o.status, o.retryAfter)
	o.detail = detailOf(&o, response)
	drain(response, cancel)
	return o
}

func (s *sender) request(ctx context.Context, h *domain.Webhook, secrets []string, id string, text []byte, e *domain.LogEvent,
	now time.Time) (
	*http.Request, error,
) {
	to, err := url.Parse(h.URL)
	if err != nil {
		return nil, fmt.Errorf("the address cannot be read")
	}
	// What was allowed when the address was entered may have been closed since.
	if to.Scheme != "https" && !s.policy.AllowsPlain(ctx, to) {
		return nil, fmt.Errorf("not allowed without TLS (https)")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the address cannot be read")
	}
	if err := auth.SignWebhook(request.Header, id, now, text, secrets...); err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", s.agent)
	request.Header.Set("Idempotency-Key", id)
	request.Header.Set(traces.Header, traces.Parent(traceOf(e, id), traces.Span(id)))
	return request, nil
}

// traceOf is the trace of the round that an event is of, else one of the message's own.
func traceOf(e *domain.LogEvent, id string) string {
	var data struct {
		RoundID string `json:"round_id"`
		Message struct {
			RoundID string `json:"round_id"`
		} `json:"message"`
		Execution struct {
			RoundID string `json:"round_id"`
		} `json:"execution"`
	}
	if len(e.Data) > maxBody || json.Unmarshal(e.Data, &data) != nil {
		return traces.Of(id)
	}
	return traces.Of(cmp.Or(data.RoundID, data.Message.RoundID, data.Execution.RoundID, id))
}

// detailOf says what is to be said of an answer. Nothing is told of what stands in it.
func detailOf(o *outcome, response *http.Response) string {
	if !o.delivered() {
		return StatusDetail(o.status)
	}
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil && kind == "text/html" {
		return "it answered with a web page: look whether the address is the right one"
	}
	return ""
}

// drain reads the rest of an answer, if that is soon done.
func drain(response *http.Response, giveUp func()) {
	if n := response.ContentLength; n >= 0 && n <= maxDrained {
		timer := time.AfterFunc(drainTimeout, giveUp)
		_, _ = io.Copy(io.Discard, response.Body) // whatever comes of it: the status stands
		timer.Stop()
	}
	_ = response.Body.Close()
}
