package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// pointerOf returns the JSON pointer and the code of a rejected value; "" for no error.
func pointerOf(err error) string {
	if err == nil {
		return ""
	}
	if invalid, ok := errors.AsType[*domain.Error](err); ok && len(invalid.Fields) == 1 {
		return invalid.Fields[0].Pointer + " " + invalid.Fields[0].Code
	}
	return err.Error()
}

// Both protocols have their own names of the same parts. Everything that is rejected is named.
func TestContentOfAMessage(t *testing.T) {
	const picture = "data:image/png;base64,iVBORw0KGgo="
	for content, want := range map[string]string{
		`"Hello"`: "Hello",
		`null`:    "",
		`[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]`:                                 "Hello",
		`[{"type":"input_text","text":"Hello"},{"type":"refusal","refusal":"No."}]`:                  "HelloNo.",
		`[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"` + picture + `"}}]`:  "See|image.png at /c/1/image_url/url",
		`[{"type":"input_image","image_url":"` + picture + `"},{"type":"output_text","text":"See"}]`: "image.png at /c/0/image_url|See",
		`[{"type":"file","file":{"file_data":"aGk=","filename":"a.txt"}}]`:                           "a.txt at /c/0/file/file_data",
		`[{"type":"input_file","file_data":"aGk=","filename":"a.txt"}]`:                              "a.txt at /c/0/file_data",
		`[{"type":"input_file","file_url":"data:text/plain;base64,aGk=","filename":"b"}]`:            "b at /c/0/file_url",
		`[{"type":"input_image","file_id":"fil_00000000000000000000000000000001"}]`:                  "fil_00000000000000000000000000000001 at /c/0/file_id",
		`[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]`:                     "rejected /c/0/image_url/url not_fetched",
		`[{"type":"image_url","image_url":"` + picture + `"}]`:                                       "rejected /c/0/image_url wrong_type",
		`[{"type":"input_image","image_url":{"url":"` + picture + `"}}]`:                             "rejected /c/0/image_url wrong_type",
		`[{"type":"file"}]`:                             "rejected /c/0/file required",
		`[{"type":"file","file":{"filename":"a.txt"}}]`: "rejected /c/0/file/file_data required",
		`[{"type":"input_audio"}]`:                      "rejected /c/0/type not_supported",
		`[{"type":"input_file","file_data":"%"}]`:       "rejected /c/0/file_data not_base64",
		`7`:   "rejected /c wrong_type",
		`[7]`: "rejected /c wrong_type",
	} {
		m, err := NewInputMessage(RoleUser, json.RawMessage(content), "/m", "/c")
		var all []string
		for _, p := range m.Pieces {
			if p.File == nil {
				all = append(all, p.Text)
				continue
			}
			all = append(all, p.File.Name+p.File.ID+" at "+p.File.Pointer)
		}
		got := strings.Join(all, "|")
		if err != nil {
			got = "rejected " + pointerOf(err)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", content, got, want)
		}
	}
}

// Only messages of the user have attachments.
func TestContentOfOtherMessages(t *testing.T) {
	for content, want := range map[string]string{
		`"Hello"`: "Hello",
		`[{"type":"output_text","text":"Hel"},{"type":"text","text":"lo"},{"type":"refusal","refusal":"!"}]`: "Hello!",
		`[{"type":"image_url","image_url":{"url":"data:,a"}}]`:                                               "rejected /c/0 files_not_supported",
		`[{"type":"input_file"}]`: "rejected /c/0 files_not_supported",
		`[{"type":"other"}]`:      "rejected /c/0/type not_supported",
		`{}`:                      "rejected /c wrong_type",
	} {
		m, err := NewInputMessage(RoleAssistant, json.RawMessage(content), "/m", "/c")
		got := m.Text
		if err != nil {
			got = "rejected " + pointerOf(err)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", content, got, want)
		}
	}
}

// messages returns messages of the roles that their texts begin with.
func messages(texts ...string) []InputMessage {
	var all []InputMessage
	for i, text := range texts {
		role, said, _ := strings.Cut(text, " ")
		m := InputMessage{Role: role, Text: said, At: fmt.Sprintf("/messages/%d", i), content: fmt.Sprintf("/messages/%d/content", i)}
		if role == RoleUser {
			m.Pieces = []rounds.Piece{{Text: said}}
		}
		if role == RoleTool {
			m.Call, m.CallAt = said, "/tool_call_id"
		}
		all = append(all, m)
	}
	return all
}

// The last message of the user is what is sent, and those before it are exchanges.
func TestMessagesAsAHistory(t *testing.T) {
	for name, c := range map[string]struct {
		all  []InputMessage
		want string
	}{
		"one message":           {messages("user One"), "<> One"},
		"instructions":          {messages("system Be brief.", "user One", "developer Be polite."), "<Be brief.\n\nBe polite.> One"},
		"an exchange":           {messages("user One", "assistant 1", "user Two"), "<> [One 1] Two"},
		"an answer in parts":    {messages("user One", "assistant 1", "assistant 2", "user Two"), "<> [One 1\n\n2] Two"},
		"a greeting":            {messages("assistant Hello", "user One"), "<> [ Hello] One"},
		"results in the record": {messages("user One", "assistant ", "tool call_1", "assistant 1", "user Two"), "<> [One 1] Two"},
		"no message":            {messages("system Be brief."), "rejected /messages/0 not_a_message"},
		"an answer last":        {messages("user One", "assistant 1"), "rejected /messages/1 not_a_message"},
		"an empty message":      {messages("user One", "user  "), "rejected /messages/1/content required"},
		"a long message":        {messages("user " + strings.Repeat("é", maxMessage+1)), "rejected /messages/0/content too_long"},
	} {
		h, err := HistoryOf(c.all, rounds.Scope{Name: "s"})
		got := "rejected " + pointerOf(err)
		if err == nil {
			got = "<" + h.Instructions + "> "
			for _, e := range h.Before {
				got += "[" + e.User + " " + e.Answer + "] "
			}
			got += rounds.TextOf(h.Pieces)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A request that ends with results of tools submits them; instructions may follow.
func TestResultsThatARequestEndsWith(t *testing.T) {
	for want, all := range map[string][]InputMessage{
		"":                           messages("user One", "tool a", "user Two"),
		"a /messages/1/tool_call_id": messages("user One", "tool a"),
		"a,b /messages/2/tool_call_id,/messages/3/tool_call_id": messages("tool z", "assistant ", "tool a", "tool b", "system Be brief."),
	} {
		got := ""
		if r := TrailingResults(all); r != nil {
			got = strings.Join(r.IDs, ",") + " " + strings.Join(r.Pointers, ",")
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Tools are offered unless the client wants none; it cannot force calls.
func TestWhatIsOffered(t *testing.T) {
	for in, want := range map[string]string{
		` `: "false ", `null `: "false ", `[] `: "false ", `[1] `: "true ", `[1] "auto"`: "true ", `[1] "none"`: "false ",
		`[1] "required"`: "false /tool_choice not_supported", `[] "required"`: "false ",
	} {
		tools, choice, _ := strings.Cut(in, " ")
		offered, err := Offers(json.RawMessage(tools), json.RawMessage(choice))
		if got := fmt.Sprint(offered, " ", pointerOf(err)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
