package acp

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/fermata-dev/fermata/api"
)

// Error codes of the protocol.
const (
	codeParse        = -32700
	codeRequest      = -32600
	codeMethod       = -32601
	codeParams       = -32602
	codeInternal     = -32603
	codeCancelled    = -32800
	codeAuthRequired = -32000
	codeNotFound     = -32002
)

// failure is an error of the protocol; its data contains the server's code.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    fields `json:"data,omitempty"`
}

func (f *failure) Error() string { return f.Message }

// newFailure returns an error for the editor; ours is the code in its data.
func newFailure(code int, ours, format string, args ...any) *failure {
	return &failure{Code: code, Message: fmt.Sprintf(format, args...), Data: fields{"code": ours}}
}

// ServerError is an error that the server reported.
type ServerError interface {
	error
	Reported() *api.Problem
}

// failureOf converts an error to one of the protocol.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	refused, ok := errors.AsType[ServerError](err)
	if !ok {
		return &failure{Code: codeInternal, Message: err.Error(), Data: fields{"code": "unreachable", "retryable": true}}
	}
	p := refused.Reported()
	data := fields{"code": p.Code, "status": p.Status, "request_id": p.RequestID, "retryable": p.Retryable, "outcome": p.Outcome}
	if p.Errors != nil {
		data["errors"] = *p.Errors
	}
	code := codeInternal
	switch p.Status {
	case http.StatusUnauthorized:
		code = codeAuthRequired
	case http.StatusNotFound:
		code = codeNotFound
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		code = codeParams
	}
	return &failure{Code: code, Message: refused.Error(), Data: data}
}

// codeOf returns the server's code of an error; "" for other errors.
func codeOf(err error) string {
	if refused, ok := errors.AsType[ServerError](err); ok {
		return refused.Reported().Code
	}
	return ""
}
