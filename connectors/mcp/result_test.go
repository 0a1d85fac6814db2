package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReadResult(t *testing.T) {
	long := strings.Repeat("é", MaxResultBytes)
	for raw, want := range map[string]string{
		`{}`: "",
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`:                             "a\nb",
		`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`:                             "[image left out: image/png, 3 bytes]",
		`{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAAAAAAA"}]}`:                         "[audio left out: audio/wav, 6 bytes]",
		`{"content":[{"type":"resource_link","name":"n","uri":"file:///x"}]}`:                             "[a resource, not fetched: n file:///x]",
		`{"content":[{"type":"resource","resource":{"uri":"file:///x","text":"hello"}}]}`:                 "[resource file:///x]\nhello",
		`{"content":[{"type":"resource","resource":{"uri":"file:///x","mimeType":"a/b","blob":"AAAA"}}]}`: "[resource left out: file:///x, a/b, 3 bytes]",
		`{"content":[{"type":"hologram"}]}`:                                                               `[a part left out, of type "hologram"]`,
		`{"content":[{"type":"text","text":"` + "\xff" + `"}]}`:                                           "\uFFFD",
	} {
		r, err := readResult(json.RawMessage(raw))
		if err != nil || r.Text != want || r.Cut || r.Failed {
			t.Errorf("%s: %+v %v", raw, r, err)
		}
	}
	r, err := readResult(json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"` + long + `"},{"type":"text","text":"more"}]}`))
	if err != nil || !r.Cut || !r.Failed || len(r.Text) > MaxResultBytes+len(cutMark) || !strings.HasSuffix(r.Text, "é…"+cutMark) {
		t.Errorf("a long text: %d %v %v", len(r.Text), r.Cut, err)
	}
	r, err = readResult(json.RawMessage(`{"content":[],"structuredContent":{"a":[1,2]}}`))
	if err != nil || string(r.JSON) != `{"a":[1,2]}` {
		t.Errorf("structured: %+v %v", r, err)
	}
	r, err = readResult(json.RawMessage(`{"content":[],"structuredContent":"` + long + `"}`))
	if err != nil || r.JSON != nil || !r.Cut || !strings.Contains(r.Text, "structured part, 524290 bytes, is left out") {
		t.Errorf("a long structure: %+v %v", r.Text, err)
	}
}

// Nothing that a server writes can end the process.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"a"}]}`, `{"resultType":"task","taskId":"x"}`, `{"task":{"taskId":"x"}}`, plainTool,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"requestedSchema":{"properties":{"a":{"type":"array","items":{}}}}}}}}`,
		`{"message":"m","requestedSchema":{"properties":{"a":{"type":"string","default":null}}}}`, "data: x\nid: 1\nretry: 5\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := readResult(data); err == nil && len(r.Text) > MaxResultBytes+1<<10 {
			t.Errorf("%d bytes of text", len(r.Text))
		}
		if w, err := readWanted(data); err == nil && w != nil {
			c := &inquiry{pending: w, answers: []json.RawMessage{data, data}}
			if _, err := c.next(); err == nil {
				c.params()
			}
		}
		if q, err := readQuestion(data); err == nil {
			if !json.Valid(q.module.Data) {
				t.Errorf("a question of %s", q.module.Data)
			}
			if reply, err := q.reply(data); err == nil && !json.Valid(reply) {
				t.Errorf("a reply of %s", reply)
			}
		}
		if read, why := readTool(data); why == "" && (read.command.DefinitionHash == "" || !json.Valid(read.command.Params)) {
			t.Errorf("%+v", read.command)
		}
		_, _ = decode(data)
		var at cursor
		for s := newEvents(strings.NewReader(string(data))); ; {
			if _, err := s.next(&at); err != nil {
				break
			}
		}
	})
}
