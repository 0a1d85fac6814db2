package mcpserver

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// codeRefused is the JSON-RPC code of a valid request that was rejected.
const codeRefused = -32000

// errorData is the data of an error: the server's code, and whether the request was applied.
type errorData struct {
	Code      domain.Code         `json:"code"`
	Status    int                 `json:"status"`
	RequestID string              `json:"request_id,omitempty"`
	Retryable bool                `json:"retryable"`
	Outcome   domain.WriteOutcome `json:"outcome,omitempty"`
	Errors    []domain.FieldError `json:"errors,omitempty"`
}

func dataOf(f *api.Failure) json.RawMessage {
	data, _ := json.Marshal(errorData{ // texts and numbers only: cannot fail
		Code: f.Code, Status: f.Status, RequestID: f.RequestID, Retryable: f.Retryable, Outcome: f.Outcome, Errors: f.Fields,
	})
	return data
}

// rpcError converts a failure to a JSON-RPC error.
func rpcError(f *api.Failure) *jsonrpc.Error {
	return &jsonrpc.Error{Code: rpcCode(f.Status), Message: f.Message, Data: dataOf(f)}
}

func rpcCode(status int) int64 {
	switch status {
	case http.StatusBadRequest:
		return jsonrpc.CodeInvalidRequest
	case http.StatusNotFound, http.StatusUnprocessableEntity:
		return jsonrpc.CodeInvalidParams
	case http.StatusMethodNotAllowed:
		return jsonrpc.CodeMethodNotFound
	}
	if status >= http.StatusInternalServerError {
		return jsonrpc.CodeInternalError
	}
	return codeRefused
}

// toRPCError converts an error to a JSON-RPC error.
func (d *Door) toRPCError(err error) error {
	if err == nil {
		return nil
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return withCode(wire)
	}
	return rpcError(d.Failure(err))
}

// withCode adds the server's code to an error of the SDK.
func withCode(wire *jsonrpc.Error) *jsonrpc.Error {
	var said map[string]json.RawMessage
	_ = json.Unmarshal(wire.Data, &said) // data that is not an object is replaced
	if said["code"] != nil {
		return wire
	}
	f := &api.Failure{Status: http.StatusBadRequest, Code: domain.CodeInvalid, Outcome: domain.NotApplied}
	switch {
	case wire.Code == jsonrpc.CodeInternalError:
		f.Status, f.Code = http.StatusInternalServerError, domain.CodeInternal
	case wire.Code == jsonrpc.CodeInvalidParams && len(wire.Data) > 0: // only a missing resource has data: its URI
		f.Status, f.Code = http.StatusNotFound, domain.CodeNotFound
	}
	data := dataOf(f)
	if len(said) > 0 {
		_ = json.Unmarshal(data, &said) // it is an object
		data = jsonbody.Encode(said)
	}
	return &jsonrpc.Error{Code: wire.Code, Message: wire.Message, Data: data}
}

// wireReply is a response without a result.
type wireReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *jsonrpc.Error  `json:"error"`
}

// writeError answers a request with an error.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, wrong *jsonrpc.Error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	body, _ := json.Marshal(wireReply{"2.0", id, wrong}) // consists of JSON values: cannot fail
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have disconnected
}

// Refuse writes an error that occurred before Serve.
func (d *Door) Refuse(w http.ResponseWriter, f *api.Failure) {
	wrong := rpcError(f)
	if f.Code == "malformed_json" {
		wrong.Code = jsonrpc.CodeParseError
	}
	writeError(w, f.Status, nil, wrong)
}
