package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/api"
)

// wireError is an error in OpenAI's form, with the server's code.
type wireError struct {
	Error struct {
		Message   string  `json:"message"`
		Type      string  `json:"type"`
		Param     *string `json:"param"`
		Code      string  `json:"code"`
		RequestID string  `json:"request_id,omitempty"`
		Outcome   string  `json:"outcome,omitempty"`
	} `json:"error"`
}

// EncodeError returns an error in that form.
func EncodeError(f *api.Failure) []byte {
	var e wireError
	e.Error.Message, e.Error.Type, e.Error.Code = f.Message, errorType(f.Status), string(f.Code)
	e.Error.RequestID, e.Error.Outcome = f.RequestID, string(f.Outcome)
	if len(f.Fields) > 0 {
		param := paramOf(f.Fields[0].Pointer)
		e.Error.Param = &param
	}
	body, _ := json.Marshal(&e) // texts only: cannot fail
	return body
}

// errorType returns OpenAI's error type for a status.
func errorType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	}
	if status >= http.StatusInternalServerError {
		return "server_error"
	}
	return "invalid_request_error"
}

// paramOf converts a JSON pointer to OpenAI's form: /messages/3/content is messages[3].content.
func paramOf(pointer string) string {
	var b strings.Builder
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case name != "" && strings.Trim(name, "0123456789") == "":
			b.WriteString("[" + name + "]")
		case b.Len() > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// ErrorWriter writes errors in OpenAI's form.
type ErrorWriter struct{}

// Refuse writes an error. A header keeps SDKs from repeating a request that would fail again.
func (ErrorWriter) Refuse(w http.ResponseWriter, f *api.Failure) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if h.Get(ShouldRetry) == "" && f.Status == http.StatusConflict && !f.Retryable {
		h.Set(ShouldRetry, "false")
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write(append(EncodeError(f), '\n')) // the client may have disconnected
}

// ShouldRetry is the header that controls whether OpenAI's SDKs repeat a request.
const ShouldRetry = "X-Should-Retry"
