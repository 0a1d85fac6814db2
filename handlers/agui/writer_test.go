package agui

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// A run that is sent again has the reasoning of its answers, each part once and before the text.
func TestReasoningOfARun(t *testing.T) {
	for name, c := range map[string]struct {
		write func(o *writer)
		want  string
	}{
		"from the log": {
			func(o *writer) { o.storedAnswer("m", "Hm.", "Yes.") },
			"REASONING_MESSAGE_CONTENT Hm., REASONING_END, TEXT_MESSAGE_CONTENT Yes., TEXT_MESSAGE_END",
		},
		"of calls alone": {
			func(o *writer) { o.storedAnswer("m", "Hm.", "") },
			"REASONING_MESSAGE_CONTENT Hm., REASONING_END",
		},
		"streamed": {
			func(o *writer) {
				o.reasoningDelta("m", 0, "Hm.")
				o.textDelta("m", 0, "Yes.")
				o.storedAnswer("m", "Hm.", "Yes.")
			},
			"REASONING_MESSAGE_CONTENT Hm., REASONING_END, TEXT_MESSAGE_CONTENT Yes., TEXT_MESSAGE_END",
		},
		"streamed in part": {
			func(o *writer) { o.reasoningDelta("m", 0, "H"); o.storedAnswer("m", "Hm.", "Yes.") },
			"REASONING_MESSAGE_CONTENT H, REASONING_MESSAGE_CONTENT m., REASONING_END, TEXT_MESSAGE_CONTENT Yes., TEXT_MESSAGE_END",
		},
		"without reasoning": {
			func(o *writer) { o.storedAnswer("m", "", "Yes.") },
			"TEXT_MESSAGE_CONTENT Yes., TEXT_MESSAGE_END",
		},
	} {
		response := httptest.NewRecorder()
		o := newWriter(response, &input{last: -1})
		c.write(o)
		var all []string
		for line := range strings.SplitSeq(response.Body.String(), "\n\n") {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var e struct{ Type, Delta string }
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			if strings.HasSuffix(e.Type, "_CONTENT") || e.Type == "REASONING_END" || e.Type == "TEXT_MESSAGE_END" {
				all = append(all, strings.TrimSpace(e.Type+" "+e.Delta))
			}
		}
		if got := strings.Join(all, ", "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
