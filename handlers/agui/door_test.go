package agui

import (
	"encoding/json"
	"strings"
	"testing"
)

// Context and system messages precede the message, as instructions of the client.
func TestWhatStandsBesideTheMessage(t *testing.T) {
	for beside, want := range map[string]string{
		`"messages":[{"id":"u","role":"user","content":"hi"}]`:                                                                                      "",
		`"messages":[{"id":"s","role":"system","content":"Be brief."},{"id":"u","role":"user","content":"hi"}]`:                                     "Be brief.",
		`"messages":[{"id":"s","role":"developer","content":[{"type":"text","text":"Be brief."}]},{"id":"u","role":"user","content":"hi"}]`:         "Be brief.",
		`"messages":[{"id":"u","role":"user","content":"hi"}],"context":[{"description":"the page","value":"Orders"}]`:                              "the page:\nOrders",
		`"messages":[{"id":"u","role":"user","content":"hi"}],"context":[{"description":"cart","value":{"n":1}},{"value":"x"}]`:                     "cart:\n{\"n\":1}\n\nx",
		`"messages":[{"id":"s","role":"system","content":"A"},{"id":"u","role":"user","content":"hi"}],"context":[{"description":"b","value":"B"}]`: "A\n\nb:\nB",
		`"messages":[{"id":"u","role":"user","content":"hi"}],"context":[{"description":"","value":""}]`:                                            "",
		`"messages":[{"id":"u","role":"user","content":"hi"}],"context":null`:                                                                       "",
	} {
		in, err := readInput([]byte(`{"threadId":"t","runId":"r",` + beside + `}`))
		if err != nil {
			t.Fatalf("%s: %v", beside, err)
		}
		if in.instructions != want {
			t.Errorf("%s: %q, want %q", beside, in.instructions, want)
		}
	}
	long, _ := json.Marshal(strings.Repeat("x", maxMessage+1)) // a text: cannot fail
	_, err := readInput([]byte(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"hi"}],"context":[{"description":"","value":` + string(long) + `}]}`))
	if err == nil {
		t.Error("a context without a bound is taken")
	}
}
