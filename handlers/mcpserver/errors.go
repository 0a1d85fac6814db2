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

// codeRefused is the JSON-RPC code for what is understood and not done.
const codeRefused = -32000

// errorData is what stands in the data of an error: our code, and what became of it.
type errorData struct {
	Code      domain.Code         `json:"code"`
	Status    int                 `json:"status"`
	RequestID string              `json:"request_id,omitempty"`
	Retryable bool                `json:"retryable"`
	Outcome   domain.WriteOutcome `json:"outcome,omitempty"`
	Errors    []domain.FieldError `json:"errors,omitempty"`
}

func dataOf(f *api.Failure) json.RawMessage {
	data, _ := json.Marshal(errorData{ // texts and numbers: cannot fail
		Code: f.Code, Status: f.Status, RequestID: f.RequestID, Retryable: f.Retryable, Outcome: f.Outcome, Errors: f.Fields,
	})
	return data
}

// rpcError writes a failure as JSON-RPC does.
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

// told gives an error the form of the protocol.
func (d *Door) toRPCError(err error) error {
	if err == nil {
		return nil
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return withCode(wire)
	}
	return rpcError(d.Failure(err))
}

// withCode gives an error of the SDK our code, beside what it says already.
func withCode(wire *jsonrpc.Error) *jsonrpc.Error {
	var said map[string]json.RawMessage
	_ = json.Unmarshal(wire.Data, &said) // what is no object, or no JSON, says nothing to a client
	if said["code"] != nil {
		return wire
	}
	f := &api.Failure{Status: http.StatusBadRequest, Code: domain.CodeInvalid, Outcome: domain.NotApplied}
	switch {
	case wire.Code == jsonrpc.CodeInternalError:
		f.Status, f.Code = http.StatusInternalServerError, domain.CodeInternal
	case wire.Code == jsonrpc.CodeInvalidParams && len(wire.Data) > 0: // the address, which nothing else has
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

// refuse answers a whole request with an error.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, wrong *jsonrpc.Error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	body, _ := json.Marshal(wireReply{"2.0", id, wrong}) // its parts are JSON: cannot fail
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client may have gone
}

// Refuse answers with an error that came before the door.
func (d *Door) Refuse(w http.ResponseWriter, f *api.Failure) {
	wrong := rpcError(f)
	if f.Code == "malformed_json" {
		wrong.Code = jsonrpc.CodeParseError
	}
	writeError(w, f.Status, nil, wrong)
}
