package httpcommand

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
)

// unsendable is the error of a call whose request cannot be built from its parameters.
func unsendable(err error) error {
	return &outside.Error{Fault: outside.FaultNotSent, Message: "Nothing was sent: " + err.Error() + ".", Cause: err}
}

// Unanswered is the error of a request without a response. If it was not sent, it had no effect.
func Unanswered(name string, err error, left bool) error {
	reason := egress.ReasonOf(err)
	e := &outside.Error{Fault: outside.FaultUnknown, Temporary: true, Cause: err}
	switch {
	case reason == egress.ReasonMoved:
		e.Temporary = false
		e.Message = fmt.Sprintf("%s answered with a redirect, which is not followed. The outcome of the request is unknown.", name)
	case !left:
		e.Fault, e.Temporary = outside.FaultNotSent, !reason.Kept()
		e.Message = fmt.Sprintf("Nothing was sent to %s: %s.", name, orBrokeOff(reason))
	case reason == egress.ReasonTimeout:
		e.Message = fmt.Sprintf("%s did not answer in time. The outcome of the request is unknown.", name)
	default:
		e.Message = fmt.Sprintf("%s did not answer: %s. The outcome of the request is unknown.", name, orBrokeOff(reason))
	}
	return e
}

func orBrokeOff(reason egress.Reason) egress.Reason {
	if reason == egress.ReasonNone {
		return egress.ReasonBrokeOff
	}
	return reason
}

// brokeOff is the error of an incomplete response.
func brokeOff(name string, status int, err error) error {
	what := "broke off"
	if egress.ReasonOf(err) == egress.ReasonTimeout {
		what = "was not complete in time"
	}
	return &outside.Error{
		Fault: outside.FaultUnknown, Temporary: true, Cause: err,
		Message: fmt.Sprintf("The answer of %s (%s) %s. The outcome of the request is unknown.", name, statusText(status), what),
	}
}

// Refusal returns the error for a status, or nil if the call was carried out.
func Refusal(name string, status int, header http.Header) error {
	return refusal(name, answer{status: status, header: header})
}

// refusal returns the error for a response, or nil if the call was carried out.
func refusal(name string, got answer) error {
	status := got.status
	e := &outside.Error{Fault: outside.FaultUnknown, Message: fmt.Sprintf("%s answered %s.", name, statusText(status))}
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusUnauthorized:
		e.Fault = outside.FaultSignIn
		e.Message = fmt.Sprintf("%s answered %s: the credentials are missing, wrong or expired.", name, statusText(status))
	case status >= 400 && status < 500:
		e.Fault = outside.FaultRefused
		e.Temporary = status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusTooEarly
	case status == http.StatusNotImplemented || status == http.StatusHTTPVersionNotSupported: // certainly not carried out
		e.Fault = outside.FaultRefused
	case status >= 500:
		e.Temporary = true
		e.Message = fmt.Sprintf("%s answered %s. The outcome of the request is unknown.", name, statusText(status))
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		e.Temporary, e.RetryAfter = true, retryAfter(got.header.Get("Retry-After"))
	}
	return e
}

// maxRetryAfter bounds the Retry-After of a server.
const maxRetryAfter = time.Hour

// retryAfter parses the header: seconds, or a date.
func retryAfter(text string) time.Duration {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.Atoi(text); err == nil {
		return min(max(0, time.Duration(min(seconds, 1e6))*time.Second), maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, at.Sub(clock.System())), maxRetryAfter)
	}
	return 0
}

// unreadable is the error of a response that does not show whether the call was carried out.
func unreadable(name string, status int, what string) error {
	return &outside.Error{
		Fault:   outside.FaultUnknown,
		Message: fmt.Sprintf("%s answered %s with %s. The outcome of the request is unknown.", name, statusText(status), what),
		Cause:   errors.New(what),
	}
}
