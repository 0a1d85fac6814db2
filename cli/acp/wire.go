package acp

import "encoding/json"

// fields are the fields of a JSON object.
type fields map[string]any

// version is the protocol version.
const version = 1

// Methods of the editor.
const (
	methodUpdate        = "session/update"
	methodPermission    = "session/request_permission"
	methodElicitation   = "elicitation/create"
	methodCancelRequest = "$/cancel_request"
)

// initializeParams has the capabilities of the editor.
type initializeParams struct {
	Version      int `json:"protocolVersion"`
	Capabilities struct {
		Session struct {
			Notices *struct{} `json:"notices"`
		} `json:"session"`
		Elicitation struct {
			Form *struct{} `json:"form"`
		} `json:"elicitation"`
	} `json:"clientCapabilities"`
}

// sessionParams are the parameters of most methods.
type sessionParams struct {
	SessionID  string            `json:"sessionId"`
	Folder     string            `json:"cwd"`
	MCPServers []json.RawMessage `json:"mcpServers"`
}

type listParams struct {
	Folder string `json:"cwd"`
	Cursor string `json:"cursor"`
}

type configParams struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Value     any    `json:"value"`
}

type promptParams struct {
	SessionID string  `json:"sessionId"`
	Prompt    []block `json:"prompt"`
}

type cancelParams struct {
	SessionID string `json:"sessionId"`
}

// block is a content block of a prompt.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Name     string `json:"name"`
	URI      string `json:"uri"`
	Resource struct {
		URI  string  `json:"uri"`
		Text *string `json:"text"`
	} `json:"resource"`
}

// permissionResult is the answer of a person to a permission request.
type permissionResult struct {
	Outcome struct {
		Outcome string `json:"outcome"`
		Option  string `json:"optionId"`
	} `json:"outcome"`
}

// elicitationResult is what a person entered into a form.
type elicitationResult struct {
	Action  string                     `json:"action"`
	Content map[string]json.RawMessage `json:"content"`
}

func textBlock(text string) fields { return fields{"type": "text", "text": text} }

func textContent(text string) []fields {
	return []fields{{"type": "content", "content": textBlock(text)}}
}
