package webhooks

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/internal/egress"
)

// outcome is the result of one attempt.
type outcome struct {
	result     Result
	status     int // // 0: no response
	detail     string
	retryAfter time.Duration
	heldUntil  time.Time // of Held
	at         time.Time // // start
	took       time.Duration
}

// Result classifies an attempt, for metrics.
type Result string

const (
	Delivered   Result = "delivered"
	Refused     Result = "refused"     // // a response other than 2xx
	Throttled   Result = "throttled"   // // 429, or another with Retry-After
	Gone        Result = "gone"        // // 410: permanent
	Unreachable Result = "unreachable" // // no response
	Rejected    Result = "rejected"    // // a retry would not succeed
	// Held: not attempted yet. It counts as no attempt, and nothing else is sent there until then.
	Held Result = "held"
)

// Results are the results of finished attempts.
var Results = []Result{Delivered, Refused, Throttled, Gone, Unreachable, Rejected}

func (o *outcome) delivered() bool { return o.result == Delivered }

// ResultOf classifies a status.
func ResultOf(status int, retryAfter time.Duration) Result {
	switch {
	case status >= 200 && status < 300:
		return Delivered
	case status == http.StatusGone:
		return Gone
	case status == http.StatusTooManyRequests:
		return Throttled
	case status == http.StatusServiceUnavailable, status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		if retryAfter > 0 {
			return Throttled
		}
	}
	return Refused
}

// Unanswered classifies a request that failed with err. A redirect is a response: it has a status,
// and is not followed.
func Unanswered(err error) (result Result, status int, detail string) {
	moved, ok := errors.AsType[*egress.MovedError](err)
	if !ok || moved.Status == 0 {
		return Unreachable, 0, cmp.Or(string(egress.ReasonOf(err)), "no response")
	}
	return Refused, moved.Status, redirectDetail(moved.Status, moved.Origin)
}

// statusDetail describes a response other than 2xx. Its body is never quoted.
func statusDetail(status int) string {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return redirectDetail(status, "")
	}
	return fmt.Sprintf("it answered %d %s", status, http.StatusText(status))
}

// redirectDetail names only the origin of the target: the rest of the URL may contain secrets.
func redirectDetail(status int, origin string) string {
	to := ""
	if origin != "" {
		to = ", a redirect to " + origin
	}
	return fmt.Sprintf("it answered %d %s%s: redirects are not followed", status, http.StatusText(status), to)
}

// RetryAfterOf parses a Retry-After header: seconds, or a date.
func RetryAfterOf(header string, now time.Time) time.Duration {
	if header == "" {
		return 0
	}
	wait := time.Duration(0)
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
