package sse

import "testing"

// The bytes of events are a part of the contract.
func TestAppend(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		id    int64
		data  string
		want  string
	}{
		"an event of the log": {"message.created", 7, `{"x":1}`, "id: 7\nevent: message.created\ndata: {\"x\":1}\n\n"},
		"without an id":       {"bye", NoID, `{}`, "event: bye\ndata: {}\n\n"},
		"without a name":      {"", NoID, "[DONE]", "data: [DONE]\n\n"},
		"the first id":        {"snapshot", 0, `{}`, "id: 0\nevent: snapshot\ndata: {}\n\n"},
		"line breaks":         {"notice", 8, "{\n\"x\":1}\n", "id: 8\nevent: notice\ndata: {\ndata: \"x\":1}\ndata: \n\n"},
	} {
		if got := string(Append(nil, c.event, c.id, []byte(c.data))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
