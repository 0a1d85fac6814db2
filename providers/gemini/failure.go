package gemini

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

const (
	maxErrorBody  = 64 << 10
	maxRetryDelay = 10 * time.Minute
)

// readFailure converts a response that is not 200 to an error.
func readFailure(response *http.Response, secret string) *providers.Error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody)) // a truncated body is still useful
	e := providers.ReadFailure(&http.Response{
		StatusCode: response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(body)),
	}, secret, clock.System())
	return refine(e, body)
}

// failed converts a 200 response that contains an error.
func failed(body []byte, secret string) *providers.Error {
	return refine(providers.ParseFailure(body).Error(0, secret), body)
}

// detail is one of Google's error details; each kind has other fields.
type detail struct {
	Reason     string `json:"reason"`     // ErrorInfo
	RetryDelay string `json:"retryDelay"` // RetryInfo, "34.07s"
}

// refine evaluates Google's error details: an invalid key has status 400, and the delay of a rate
// limit is in the body.
func refine(e *providers.Error, body []byte) *providers.Error {
	for _, d := range details(body) {
		if delay, err := time.ParseDuration(d.RetryDelay); err == nil && e.RetryAfter == 0 {
			e.RetryAfter = min(max(delay, 0), maxRetryDelay)
		}
		if strings.HasPrefix(d.Reason, "API_KEY_") {
			keyRefused(e)
		}
	}
	if e.Status == http.StatusBadRequest &&
		(strings.Contains(e.Message, "API key not valid") || strings.Contains(e.Message, "API key expired")) {
		keyRefused(e)
	}
	return e
}

func keyRefused(e *providers.Error) {
	if e.Class != providers.ClassAuthentication {
		e.Class, e.Message = providers.ClassAuthentication, "the key was refused: "+e.Message
	}
}

// details are those of {"error":{"details":[…]}}, or of a list with one such object.
func details(body []byte) []detail {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var object struct {
		Error struct {
			Details []json.RawMessage `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	var out []detail
	for _, raw := range object.Error.Details {
		var d detail
		if json.Unmarshal(raw, &d) == nil { // other details may have fields of these names
			out = append(out, d)
		}
	}
	return out
}
