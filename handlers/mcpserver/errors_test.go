package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Errors of the SDK have our code beside what they say, and are JSON whatever they quote.
func TestErrorsOfTheSDKHaveOurCode(t *testing.T) {
	for name, c := range map[string]struct {
		err       error
		code, uri string
		status    int
	}{
		"nothing said": {&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams}, "invalid", "", 400},
		"a failure":    {&jsonrpc.Error{Code: jsonrpc.CodeInternalError}, "internal", "", 500},
		"not there":    {mcp.ResourceNotFoundError("file:a"), "not_found", "file:a", 404},
		"no JSON":      {mcp.ResourceNotFoundError("file:\a"), "not_found", "", 404},
		"ours":         {&jsonrpc.Error{Data: json.RawMessage(`{"code":"queue_full","status":429}`)}, "queue_full", "", 429},
	} {
		var said struct {
			Code, URI string
			Status    int
		}
		got := withCode(c.err.(*jsonrpc.Error))
		if err := json.Unmarshal(got.Data, &said); err != nil || said.Code != c.code || said.URI != c.uri || said.Status != c.status {
			t.Errorf("%s: %s, %v", name, got.Data, err)
		}
	}
}
