package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// errorInterceptor withholds errors of the SDK that are not streams, some of which are plain text,
// and writes them in the form of the protocol.
type errorInterceptor struct {
	http.ResponseWriter
	status int // of a withheld error
	text   bytes.Buffer
}

// Unwrap gives http.ResponseController access to the connection.
func (p *errorInterceptor) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *errorInterceptor) WriteHeader(status int) {
	if status >= http.StatusBadRequest && !strings.HasPrefix(p.Header().Get("Content-Type"), "text/event-stream") {
		p.status = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *errorInterceptor) Write(b []byte) (int, error) {
	if p.status != 0 {
		return p.text.Write(b)
	}
	return p.ResponseWriter.Write(b) //nolint:wrapcheck // it is the wrapped writer
}

// flush writes the withheld error.
func (p *errorInterceptor) flush(id json.RawMessage) {
	if p.status == 0 {
		return
	}
	said := wireReply{}
	if json.Unmarshal(p.text.Bytes(), &said) != nil || said.Error == nil {
		f := &api.Failure{
			Status: p.status, Code: domain.CodeInvalid, Message: strings.TrimSpace(p.text.String()), Outcome: domain.NotApplied,
		}
		said.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: f.Message, Data: dataOf(f)}
	}
	writeError(p.ResponseWriter, p.status, id, withCode(said.Error))
}
