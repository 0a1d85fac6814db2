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
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/traces"
)

const (
	// sendTimeout bounds one attempt, from the first byte to the response headers.
	sendTimeout = 15 * time.Second
	// Only the status of a response counts. A short body is drained so that the connection can be
	// reused; for a longer one it is closed.
	maxDrained   = 4 << 10
	drainTimeout = time.Second
)

// sender sends messages over HTTP.
type sender struct {
	client *http.Client
	policy egress.Policy
	agent  string
	clock  clock.Clock
}

// send sends an event to a webhook, once.
func (s *sender) send(ctx context.Context, h *outside.Webhook, secrets []string, id string, e *domain.LogEvent, link string) outcome {
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

func (s *sender) request(ctx context.Context, h *outside.Webhook, secrets []string, id string, text []byte, e *domain.LogEvent,
	now time.Time) (
	*http.Request, error,
) {
	to, err := url.Parse(h.URL)
	if err != nil {
		return nil, fmt.Errorf("the URL is invalid")
	}
	// An address that was allowed when it was entered may have been disallowed since.
	if to.Scheme != "https" && !s.policy.AllowsPlain(ctx, to) {
		return nil, fmt.Errorf("not allowed without TLS (https)")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the URL is invalid")
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

// traceOf returns the trace of the event's round, or one derived from the message.
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

// detailOf describes a response without quoting it.
func detailOf(o *outcome, response *http.Response) string {
	if !o.delivered() {
		return statusDetail(o.status)
	}
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil && kind == "text/html" {
		return "it answered with a web page: check the URL"
	}
	return ""
}

// drain reads the rest of a short response.
func drain(response *http.Response, giveUp func()) {
	if n := response.ContentLength; n >= 0 && n <= maxDrained {
		timer := time.AfterFunc(drainTimeout, giveUp)
		_, _ = io.Copy(io.Discard, response.Body) // // errors do not matter: the status is known
		timer.Stop()
	}
	_ = response.Body.Close()
}
