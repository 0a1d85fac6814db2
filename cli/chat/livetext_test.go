package chat

import "testing"

// A finished answer is displayed as far as it was not while it was streamed: whole if it became another text,
// and no further if it was interrupted.
func TestWhatIsLeftOfAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		streamed, stored string
		interrupted      bool
		rest             string
		begun            bool
	}{
		"streamed":         {"One", "One two.", false, " two.", true},
		"all of it":        {"One two.", "One two.", false, "", true},
		"not streamed":     {"", "One two.", false, "One two.", false},
		"in JSON":          {`{"pre_text":"One`, "One two.", false, "One two.", false},
		"another text":     {"Two", "One two.", false, "One two.", false},
		"interrupted":      {"One two thr", "One two", true, "", true},
		"with calls alone": {"One", "", false, "", true},
	} {
		var live liveText
		shown := live.add("m", 0, c.streamed)
		rest, begun := live.finish("m", c.stored, c.interrupted)
		if rest != c.rest || begun != c.begun {
			t.Errorf("%s: after %q the rest is %q (%v)", name, shown, rest, begun)
		}
		if more := live.add("m", 0, "late"); more != "" {
			t.Errorf("%s: a late delta shows %q", name, more)
		}
	}
}

// A text that became no message was displayed or not.
func TestADiscardedText(t *testing.T) {
	var live liveText
	live.add("m", 0, "One")
	if !live.drop("m") || live.drop("m") {
		t.Error("it was displayed once")
	}
	if got := live.add("n", 0, "Two"); got != "Two" {
		t.Errorf("the next one shows %q", got)
	}
}
