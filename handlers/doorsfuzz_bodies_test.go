package handlers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// lookUp is a tool of a client. The fake model calls it when the prompt contains "Look it up.".
const lookUp = `{"type":"function","function":{"name":"look_up","description":"Looks.","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}`

func completing(headers, rest string) string {
	return fmt.Sprintf(`{"headers":{%s},"body":{"model":"fermata",%s}}`, headers, rest)
}

var completionsDoor = fuzzedDoor{
	path: "/v1/chat/completions", refusal: openAIRefusal,
	begins: []string{
		completing(`"X-Fermata-Session":"asks $n"`, `"messages":[{"role":"user","content":"hello"}]`),
		completing(`"X-Fermata-Session":"calls $n"`, `"tools":[`+lookUp+`],"messages":[{"role":"user","content":"Look it up."}]`),
	},
	takes: []string{
		completing(``, `"messages":[{"role":"user","content":"Good morning."}]`),
		completing(`"X-Fermata-Session":"asks $n"`, `"messages":[{"role":"user","content":"yes"}]`),
		completing(`"X-OpenWebUI-Chat-Id":"chat $n"`, `"stream":true,"stream_options":{"include_usage":true},"user":"ann",
			"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Good morning."}]`),
		completing(``, `"messages":[{"role":"user","content":"Good morning."},{"role":"assistant","content":"hi"},{"role":"user","content":"And now?"}]`),
		completing(`"X-Fermata-Session":"calls $n"`, `"tools":[`+lookUp+`],"parallel_tool_calls":false,"tool_choice":"auto","messages":[
			{"role":"user","content":"Look it up."},
			{"role":"assistant","content":null,"tool_calls":[{"id":"$call","type":"function","function":{"name":"look_up","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"$call","content":"42"}]`),
		completing(``, `"messages":[{"role":"user","content":[{"type":"text","text":"See."},
			{"type":"image_url","image_url":{"url":"data:text/plain;base64,aGk=","detail":"low"}},
			{"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain;base64,aGk="}}]}]`),
		`{"headers":{},"body":{"model":"fermata/raw","max_tokens":10,"stream":false,"tools":[` + lookUp + `],"messages":[{"role":"user","content":"A title?"}]}}`,
	},
}

var responsesDoor = fuzzedDoor{
	path: "/v1/responses", refusal: openAIRefusal,
	begins: []string{
		completing(``, `"conversation":"asks $n","input":"hello"`),
		completing(``, `"conversation":"calls $n","tools":[{"type":"function","name":"look_up","parameters":{"type":"object"},"strict":true}],"input":"Look it up."`),
	},
	takes: []string{
		completing(``, `"input":"Good morning."`),
		completing(``, `"previous_response_id":"$response","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"And now?"}]}]`),
		completing(`"X-Fermata-Session":"talk $n"`, `"stream":true,"instructions":"Be kind.","metadata":{"a":"b"},"user":"ann","store":true,
			"input":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Good morning."}]`),
		completing(``, `"conversation":{"id":"talk $n"},"background":true,"input":[{"role":"user","content":"Good evening."},
			{"role":"assistant","content":[{"type":"output_text","text":"hi"}]},{"role":"user","content":"And now?"}]`),
		completing(``, `"previous_response_id":"$response","tools":[{"type":"function","name":"look_up","parameters":{"type":"object"}}],
			"input":[{"type":"function_call","call_id":"$call","name":"look_up","arguments":"{}"},{"type":"function_call_output","call_id":"$call","output":"42"}]`),
		completing(``, `"text":{"format":{"type":"text"}},"input":[{"role":"user","content":[{"type":"input_text","text":"See."},
			{"type":"input_image","image_url":"data:text/plain;base64,aGk=","detail":"auto"},{"type":"input_file","filename":"a.txt","file_data":"data:text/plain;base64,aGk="}]}]`),
	},
}

func running(talk, rest string) string {
	return fmt.Sprintf(`{"headers":{"Accept":"text/event-stream"},"body":{"threadId":%q,"runId":"r1","state":{},"context":[],"forwardedProps":{},%s}}`, talk, rest)
}

const frontTool = `{"name":"look_up","description":"Looks.","parameters":{"type":"object"}}`

var aguiDoor = fuzzedDoor{
	path: "/v1/agui", refusal: aguiRefusal,
	begins: []string{
		running("asks $n", `"tools":[],"messages":[{"id":"m$n","role":"user","content":"hello"}]`),
		running("calls $n", `"tools":[`+frontTool+`],"messages":[{"id":"m$n","role":"user","content":"Look it up."}]`),
	},
	takes: []string{
		running("talk $n", `"tools":[],"messages":[{"id":"a","role":"user","content":"Good morning."},{"id":"b","role":"assistant","content":"hi"},
			{"id":"c","role":"user","content":"And now?"}]`),
		running("asks $n", `"tools":[],"messages":[{"id":"m$n","role":"user","content":"hello"}],
			"resume":[{"interruptId":"$approval","status":"resolved","payload":{"approved":true,"comment":"yes"}}]`),
		running("calls $n", `"tools":[`+frontTool+`],"messages":[{"id":"m$n","role":"user","content":"Look it up."},
			{"id":"b","role":"assistant","content":"","toolCalls":[{"id":"$call","type":"function","function":{"name":"look_up","arguments":"{}"}}]},
			{"id":"c","role":"tool","toolCallId":"$call","content":"42","error":"late"}]`),
		running("calls $n", `"tools":[],"messages":[{"id":"m$n","role":"user","content":"Look it up."},{"id":"c","role":"tool","toolCallId":"$call","content":"42"}],
			"resume":[{"interruptId":"$approval","status":"cancelled"}]`),
		running("files $n", `"messages":[{"id":"a","role":"user","content":[{"type":"text","text":"See."},
			{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"text/plain"},"metadata":{"filename":"a.txt"}},
			{"type":"binary","mimeType":"text/plain","data":"aGk=","filename":"b.txt"}]}]`),
	},
}

func uiChat(chat, trigger, messages string) string {
	return fmt.Sprintf(`{"headers":{},"body":{"id":%q,"trigger":%q,"messages":[%s]}}`, chat, trigger, messages)
}

const uiSaid = `{"id":"m$n","role":"user","parts":[{"type":"text","text":"hello"}]}`

var uiDoor = fuzzedDoor{
	path: "/v1/ui/chat", refusal: problemRefusal,
	begins: []string{uiChat("asks $n", "submit-message", uiSaid)},
	takes: []string{
		uiChat("talk $n", "submit-message", `{"id":"a","role":"user","parts":[{"type":"text","text":"Good morning."}]},
			{"id":"b","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"hi","state":"done"}]},
			{"id":"c","role":"user","parts":[{"type":"text","text":"And now?"}]}`),
		uiChat("asks $n", "submit-message", uiSaid+`,{"id":"b","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"Hm."},
			{"type":"dynamic-tool","toolName":"CREATE_ZONE","toolCallId":"$execution","state":"approval-responded","input":{"name":"x"},
			"approval":{"id":"$approval","approved":true,"reason":"yes"}}]}`),
		uiChat("asks $n", "submit-message", uiSaid+`,{"id":"b","role":"assistant","parts":[{"type":"step-start"},
			{"type":"dynamic-tool","toolName":"ASK_USER","toolCallId":"$approval","state":"output-available","output":["a"]}]}`),
		uiChat("asks $n", "regenerate-message", uiSaid),
		uiChat("files $n", "submit-message", `{"id":"a","role":"user","parts":[{"type":"text","text":"See."},
			{"type":"file","mediaType":"text/plain","filename":"a.txt","url":"data:text/plain;base64,aGk="}]}`),
	},
}

func calling(method, name, params, able string) string {
	return fmt.Sprintf(`{"headers":{"Mcp-Protocol-Version":"2026-07-28","Mcp-Method":%q,"Mcp-Name":%q},"body":{"jsonrpc":"2.0","id":7,"method":%q,
		"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{%s}}}}}`, method, name, method, params, able)
}

const (
	ableToAsk  = `"elicitation":{"form":{}}`
	ableToWait = `"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{},"url":{}}`
)

func tool(name, arguments string) string {
	return fmt.Sprintf(`{"headers":{},"body":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{%s}}}}`, name, arguments)
}

var mcpDoor = fuzzedDoor{
	path: "/mcp", refusal: rpcRefusal,
	begins: []string{calling("tools/call", "send_message", `"name":"send_message","arguments":{"text":"hello","idempotency_key":"asks $n"}`, ableToAsk)},
	takes: []string{
		calling("tools/call", "send_message", `"name":"send_message","arguments":{"text":"Good morning.","wait_seconds":1}`, ableToWait),
		calling("tools/call", "send_message", `"name":"send_message","arguments":{"text":"hello","idempotency_key":"asks $n"},"requestState":"$state",
			"inputResponses":{"$approval":{"action":"accept","content":{"approved":true}}}`, ableToAsk),
		calling("tasks/get", "$session", `"taskId":"$session"`, ableToWait),
		calling("tasks/cancel", "$session", `"taskId":"$session"`, ableToWait),
		calling("tasks/update", "$session", `"taskId":"$session","inputResponses":{"$approval":{"action":"accept","content":{"approved":true}}}`, ableToWait),
		calling("server/discover", "", `"x":1`, ``), calling("tools/list", "", `"cursor":"x"`, ``), calling("resources/list", "", `"cursor":""`, ``),
		calling("resources/read", "fermata://documents/doc_1", `"uri":"fermata://documents/doc_1"`, ``),
		`{"headers":{},"body":{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"fermata://documents/\u0007"}}}`,
		tool("list_sessions", `"limit":5,"cursor":""`), tool("get_session", `"session_id":"$session","limit":5`), tool("list_pending", `"session_id":"$session"`),
		tool("send_message", `"session_id":"$session","text":"And now?"`), tool("answer_pending", `"approval_id":"$approval","answer":{"approved":true}`),
		tool("run_automation", `"automation_id":"aut_1","wait_seconds":1`), tool("describe_data", `"zone_id":"zon_1"`),
		tool("query_data", `"tool_id":"tol_1","order":"asc","period":{"name":"today"}`), tool("query_data", `"search":"run"`),
		`{"headers":{},"body":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}}`,
		`{"headers":{},"body":{"jsonrpc":"2.0","method":"notifications/initialized"}}`,
	},
}

func openAIRefusal(answer []byte) string {
	var e struct {
		Error struct{ Message, Type, Code string }
	}
	if json.Unmarshal(answer, &e) != nil || e.Error.Message == "" || e.Error.Type == "" {
		return ""
	}
	return e.Error.Code
}

func problemRefusal(answer []byte) string {
	var e struct {
		Type, Title, Detail, Code string
		Status                    int
	}
	if json.Unmarshal(answer, &e) != nil || e.Type == "" || e.Title == "" || e.Detail == "" || e.Status == 0 {
		return ""
	}
	return e.Code
}

func rpcRefusal(answer []byte) string {
	var e struct {
		JSONRPC string
		Error   struct {
			Code    int
			Message string
			Data    struct{ Code string }
		}
	}
	answer, _ = bytes.CutPrefix(answer, []byte("event: message\ndata: "))
	if json.Unmarshal(answer, &e) != nil || e.JSONRPC != "2.0" || e.Error.Code == 0 || e.Error.Message == "" {
		return ""
	}
	return e.Error.Data.Code
}

// eventsOf are the events of a stream.
func eventsOf(answer []byte) (events []struct{ Type, Code string }) {
	for line := range strings.SplitSeq(string(answer), "\n") {
		var e struct{ Type, Code string }
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &e) == nil {
			events = append(events, e)
		}
	}
	return events
}

// aguiRefusal: a run that ends as it begins.
func aguiRefusal(answer []byte) string {
	if events := eventsOf(answer); len(events) == 2 && events[1].Type == "RUN_ERROR" {
		return events[1].Code
	}
	return problemRefusal(answer)
}
