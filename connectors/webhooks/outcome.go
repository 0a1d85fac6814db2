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

// outcome is what came of one try.
type outcome struct {
	result     Result
	status     int // 0: no answer came
	detail     string
	retryAfter time.Duration
	heldUntil  time.Time // of Held
	at         time.Time // it began
	took       time.Duration
}

// Result says in one word how a try ended, for figures.
type Result string

const (
	Delivered   Result = "delivered"
	Refused     Result = "refused"     // an answer that is no 2xx
	Throttled   Result = "throttled"   // 429, or another that says when to come again
	Gone        Result = "gone"        // 410: for good
	Unreachable Result = "unreachable" // no answer
	Rejected    Result = "rejected"    // and no other try would do better
	// Held: it is not tried yet. No try is counted, and nothing more is sent there until then.
	Held Result = "held"
)

// Results are all ends of a try.
var Results = []Result{Delivered, Refused, Throttled, Gone, Unreachable, Rejected}

func (o *outcome) delivered() bool { return o.result == Delivered }

// ResultOf says what a status means.
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

// Unanswered returns the status, if any, and the detail of a request that failed with err. A
// redirect is an answer: it has a status, and is not followed.
func Unanswered(err error) (result Result, status int, detail string) {
	moved, ok := errors.AsType[*egress.MovedError](err)
	if !ok || moved.Status == 0 {
		return Unreachable, 0, cmp.Or(string(egress.ReasonOf(err)), "no answer came")
	}
	return Refused, moved.Status, redirectDetail(moved.Status, moved.Origin)
}

// StatusDetail describes an answer that is not a 2xx. Its body is never quoted.
func StatusDetail(status int) string {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return redirectDetail(status, "")
	}
	return fmt.Sprintf("it answered %d %s", status, http.StatusText(status))
}

// redirectDetail names the origin of the target only: the rest of the address may hold secrets.
func redirectDetail(status int, origin string) string {
	to := ""
	if origin != "" {
		to = ", a redirect to " + origin
	}
	return fmt.Sprintf("it answered %d %s%s: redirects are not followed", status, http.StatusText(status), to)
}

// RetryAfterOf reads when a receiver wants to be asked again: seconds, or a date.
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
