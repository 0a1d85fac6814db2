package providers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/shorten"
)

const (
	maxErrorBody  = 64 << 10
	maxRetryAfter = 10 * time.Minute
	maxMessage    = 500 // shown characters of a vendor's message
	maxPageSample = 200 // shown characters of a web page
)

// Failure is a vendor's error body, decoded from any of its formats.
type Failure struct {
	Message string
	Code    string // "context_length_exceeded"
	Type    string // "invalid_request_error"
	Status  int    // a status inside the body, as gateways send; 0: none
}

// ReadFailure converts a response that is not 2xx to an Error. It reads at most 64 KiB of the body;
// the caller closes it.
func ReadFailure(response *http.Response, secret string, now time.Time) *Error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody)) // a truncated body is still useful
	failure := ParseFailure(body)
	e := failure.Error(response.StatusCode, secret)
	e.RetryAfter = RetryAfter(response.Header, now)
	e.RequestID = RequestID(response.Header)
	return e
}

// ParseFailure decodes an error body: {"error":{"message"}}, {"error":"text"}, {"message"},
// {"detail"}, a list of these, a web page, or plain text.
func ParseFailure(body []byte) Failure {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil {
		var text string
		if json.Unmarshal(body, &text) == nil {
			return Failure{Message: text}
		}
		return Failure{Message: PageSample(body)}
	}
	if inner, ok := object["error"]; ok {
		var fields map[string]json.RawMessage
		if json.Unmarshal(inner, &fields) == nil {
			object = fields
		} else {
			object["message"] = inner
		}
	}
	f := Failure{
		Message: firstText(object["message"], object["detail"], object["msg"], object["error_description"]),
		Code:    firstText(object["code"]),
		Type:    firstText(object["type"], object["status"]),
	}
	for _, name := range []string{"status_code", "code", "status"} {
		if n, err := strconv.Atoi(firstText(object[name])); err == nil && n >= 400 && n < 600 {
			f.Status = n
			break
		}
	}
	if f.Message == "" {
		f.Message = string(body)
	}
	return f
}

// firstText returns the first non-empty value: a string as it is, anything else as JSON.
func firstText(values ...json.RawMessage) string {
	for _, v := range values {
		var s string
		if json.Unmarshal(v, &s) == nil && s != "" {
			return s
		}
		if len(v) > 0 && string(v) != "null" && v[0] != '"' {
			return string(v)
		}
	}
	return ""
}

// Error classifies the failure. status is the HTTP status; if it is not an error (in a 200 stream),
// the status in the body counts.
func (f Failure) Error(status int, secret string) *Error {
	if status < 400 && f.Status != 0 {
		status = f.Status
	}
	message := Redact(f.Message, secret)
	if message == "" {
		message = "no reason given"
	}
	class, size := f.class(status)
	e := &Error{
		Class: class, Message: line(message, maxMessage), Status: status, Said: true,
		MaxTokens: size.most, FixedLimit: size.fixed, Over: size.over,
	}
	switch {
	case e.Class == ClassMaxTokens:
		e.Message = "max_tokens is too large for this model: " + e.Message
	case status == http.StatusNotFound:
		e.Message = "unknown model, or wrong base URL: " + e.Message
	case e.Class == ClassAuthentication:
		e.Message = "the key was refused: " + e.Message
	}
	return e
}

// class classifies a failure and returns the sizes mentioned in it.
func (f Failure) class(status int) (Class, sizes) {
	text := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if status == http.StatusPaymentRequired || mayBePaidOut(status) && paidOut(text) {
		return ClassQuota, sizes{}
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ClassAuthentication, sizes{}
	case status == http.StatusTooManyRequests, status == http.StatusRequestEntityTooLarge:
		if s := ofRate(text); s.class != "" {
			return s.class, s
		}
	}
	switch {
	case status == http.StatusTooManyRequests:
		return ClassRateLimited, sizes{}
	case status == http.StatusServiceUnavailable || status == 529:
		return ClassOverloaded, sizes{}
	}
	if s := sizesOf(text); s.class != "" && status != http.StatusNotFound {
		return s.class, s
	}
	switch {
	case says("content_filter", "content_policy", "content policy", "moderation"):
		return ClassRefused, sizes{}
	// The model generated something malformed; a retry may succeed.
	case says("tool_use_failed", "json_validate_failed"):
		return ClassNetwork, sizes{}
	case status >= 500 || status == http.StatusRequestTimeout:
		return ClassNetwork, sizes{}
	case status >= 300:
		return ClassInvalidRequest, sizes{}
	}
	return f.classOfWords(says), sizes{}
}

// mayBePaidOut reports whether vendors use a status for an exhausted quota; 0 means inside a
// stream.
func mayBePaidOut(status int) bool {
	switch status {
	case 0, http.StatusOK, http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return false
}

// classOfWords classifies errors inside a 200 stream without a status.
func (f Failure) classOfWords(says func(...string) bool) Class {
	switch {
	case says("overloaded", "capacity", "unavailable"):
		return ClassOverloaded
	case says("rate_limit", "rate limit", "too many requests"):
		return ClassRateLimited
	case says("authentication", "invalid_api_key", "permission"):
		return ClassAuthentication
	case says("invalid_request"):
		return ClassInvalidRequest
	}
	return ClassNetwork
}

// RetryAfter parses Retry-After (seconds or a date) and Retry-After-Ms, at most ten minutes; 0:
// none.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	var d time.Duration
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		d = clampSeconds(ms / 1000)
	} else if v := strings.TrimSpace(header.Get("Retry-After")); v != "" {
		if seconds, err := strconv.ParseFloat(v, 64); err == nil {
			d = clampSeconds(seconds)
		} else if at, err := http.ParseTime(v); err == nil {
			d = at.Sub(now)
		}
	}
	return min(max(d, 0), maxRetryAfter)
}

// clampSeconds keeps external numbers, including NaN, from overflowing a Duration.
func clampSeconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
}

// RequestID returns the vendor's ID of a request, for its support.
func RequestID(header http.Header) string {
	for _, name := range []string{"X-Request-Id", "Request-Id", "X-Ds-Trace-Id", "Cf-Ray"} {
		if v := header.Get(name); v != "" {
			return line(v, 100)
		}
	}
	return ""
}

// TransportError is the Error of a call without a complete response. Its text contains no URL,
// which may include a password, and no address: a workspace must not learn about the server's
// network. ctx is that of the call.
func TransportError(ctx context.Context, err error, secret string) *Error {
	var typed *Error
	if errors.As(err, &typed) {
		return typed
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if errors.As(cause, &typed) {
			return typed
		}
		return &Error{Class: ClassCancelled, Message: "cancelled by Fermata", Err: cause}
	}
	if moved, ok := errors.AsType[*egress.MovedError](err); ok {
		return &Error{
			Class:   ClassInvalidRequest,
			Message: "not followed: the address has " + line(moved.Error(), maxMessage) + "; set base_url to the new location",
			Err:     err,
		}
	}
	switch reason := egress.ReasonOf(err); reason {
	case egress.ReasonForbidden, egress.ReasonNotNamed:
		return &Error{Class: ClassInvalidRequest, Forbidden: true, Message: string(reason), Err: err}
	case egress.ReasonNone:
		return &Error{Class: ClassNetwork, Message: "could not be read: " + line(Redact(err.Error(), secret), maxMessage), Err: err}
	default:
		return &Error{Class: ClassNetwork, Message: "could not be reached: " + string(reason), Err: err}
	}
}

// Keys as echoed by vendors, some of them partly masked with asterisks.
var keyLike = regexp.MustCompile(`\b((sk|gsk|pplx|xai|key|nvapi|hf)[-_]|AIza)[A-Za-z0-9_\-*.]{6,}`)

// Redact removes the secret, and everything that looks like a key, from a text. It must be called
// before truncation: a partial key would not be found.
func Redact(text, secret string) string {
	if secret != "" {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	return keyLike.ReplaceAllString(text, "[key]")
}

var (
	invisible = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>`)
	tags      = regexp.MustCompile(`(?s)<[^>]*>`)
)

// PageSample returns the first 200 characters of a page's text, without its tags.
func PageSample(body []byte) string {
	text := string(body[:min(len(body), maxErrorBody)])
	if strings.HasPrefix(text, "<") {
		text = html.UnescapeString(tags.ReplaceAllString(invisible.ReplaceAllString(text, " "), " "))
	}
	return line(text, maxPageSample)
}

// line returns a single clean line of at most n characters.
func line(text string, n int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	return shorten.Characters(text, n)
}

// Errorf returns an Error of a class.
func Errorf(class Class, format string, args ...any) *Error {
	return &Error{Class: class, Message: fmt.Sprintf(format, args...)}
}
