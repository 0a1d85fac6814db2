package responses

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

var (
	storedID  = responseID(sessionID, messageID)
	resultsID = responseID(sessionID, domain.ClientResultsID(approvalID))
)

// A response that is read has the state and the output that its stream had.
func TestAResponseThatIsRead(t *testing.T) {
	w := newWorld(t)
	door := &Stored{Config: w.config()}
	whole := serve(t, door, http.MethodGet, storedID, "", "")
	for _, want := range []string{
		`"id":"` + storedID + `"`, `"status":"completed"`, `"model":"fermata"`, `"text":"Good day."`, `"conversation":{"id":"` + sessionID + `"}`,
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("it has no %s: %s", want, whole)
		}
	}
	w.request = `{"model":"fermata","not_stored":true}`
	if got := serve(t, door, http.MethodGet, storedID, "", ""); got != "not_found" {
		t.Errorf("not stored: %s", got)
	}
	w.request = ""
	if got := serve(t, door, http.MethodGet, storedID, "", ""); !strings.Contains(got, `"model":"fermata"`) {
		t.Errorf("of another protocol: %s", got)
	}
}

// Streams of a response can be resumed after each of their events.
func TestAStreamThatIsResumed(t *testing.T) {
	w := newWorld(t)
	door := &Stored{Config: w.config()}
	_, all, _ := strings.Cut(serve(t, door, http.MethodGet, storedID, "?stream=true", ""), "\n\n")
	events := strings.Split(strings.TrimSpace(all), "\n\n")
	if len(events) != 9 || !strings.HasPrefix(events[0], "event: response.created") || !strings.HasPrefix(events[8], "event: response.completed") {
		t.Fatalf("the events are %q", events)
	}
	for i, e := range events {
		_, number, _ := strings.Cut(e, `"sequence_number":`)
		number, _, _ = strings.Cut(number, ",")
		_, rest, _ := strings.Cut(serve(t, door, http.MethodGet, storedID, "?stream=true&starting_after="+number, ""), "\n\n")
		if got := strings.TrimSpace(rest); got != strings.Join(events[i+1:], "\n\n") {
			t.Errorf("after event %d: %s", i, got)
		}
	}
}

// Parameters that cannot be followed are named.
func TestParametersOfAResponse(t *testing.T) {
	door := &Stored{Config: newWorld(t).config()}
	for query, want := range map[string]string{
		"?stream=maybe":                        "/stream",
		"?stream=true&stream=false":            "/stream",
		"?starting_after=1":                    "/starting_after",
		"?stream=true&starting_after=-1":       "/starting_after",
		"?stream=true&starting_after=a":        "/starting_after",
		"?other=1":                             "/other",
		"?include=a&include=b&include[]=c":     "",
		"?stream=false&include_obfuscation=no": "",
	} {
		got := serve(t, door, http.MethodGet, storedID, query, "")
		if want == "" && !strings.HasPrefix(got, "{") || want != "" && got != "invalid "+want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// Ids that no response has are all the same error.
func TestResponsesThatDoNotExist(t *testing.T) {
	w := newWorld(t)
	c := w.config()
	for name, id := range map[string]string{
		"no id": "x", "too short": storedID[:40], "too long": storedID + "0", "no digits": strings.Replace(storedID, "0", "g", 1),
		"another session": responseID("ses_"+strings.Repeat("9", idDigits), messageID), "another message": responseID(sessionID, "msg_"+strings.Repeat("9", idDigits)),
		"an answer": responseID(sessionID, answerID), "results of no calls": resultsID,
	} {
		if got := serve(t, &Stored{Config: c}, http.MethodGet, id, "", ""); got != "not_found" {
			t.Errorf("%s: %s", name, got)
		}
		if got := serve(t, &Input{Config: c}, http.MethodGet, id, "", ""); got != "not_found" {
			t.Errorf("input of %s: %s", name, got)
		}
		if got := serve(t, &Deletion{Config: c}, http.MethodDelete, id, "", ""); got != "not_found" {
			t.Errorf("deletion of %s: %s", name, got)
		}
		if got := serve(t, &Cancellation{Config: c}, http.MethodPost, id, "", ""); got != "not_found" || len(w.did) > 0 {
			t.Errorf("cancellation of %s: %s %q", name, got, w.did)
		}
	}
	w.called(t, domain.ApprovalStatusOpen)
	if got := serve(t, &Stored{Config: c}, http.MethodGet, resultsID, "", ""); got != "not_found" {
		t.Errorf("results that are waited for: %s", got)
	}
}

// Cancelling interrupts the round, withdraws a queued message, and leaves what is over.
func TestCancelling(t *testing.T) {
	running := func(t *testing.T, w *world) { w.messages, w.log = w.messages[:1], w.log[:2]; w.session.LastSeq = 2 }
	queued := func(t *testing.T, w *world) {
		running(t, w)
		m := w.messages[0]
		m.Seq, m.RoundID, m.Status, w.log = 0, "", domain.MessageQueued, w.log[:1]
	}
	for name, c := range map[string]struct {
		before  func(*testing.T, *world)
		failure domain.Code
		did     []string
		want    string
	}{
		"over":             {func(*testing.T, *world) {}, "", nil, `"status":"completed"`},
		"running":          {running, "", []string{"interrupted"}, `"status":"in_progress"`},
		"ended meanwhile":  {running, domain.CodeWrongPhase, []string{"interrupted"}, `"status":"in_progress"`},
		"not allowed":      {running, domain.CodeForbidden, []string{"interrupted"}, "forbidden"},
		"queued":           {queued, "", []string{"withdrawn"}, `"status":"cancelled"`},
		"not queued later": {queued, domain.CodeForbidden, []string{"withdrawn"}, "forbidden"},
	} {
		w := newWorld(t)
		if c.before(t, w); c.failure != "" {
			w.failure = domain.Errorf(c.failure, "No.")
		}
		got := serve(t, &Cancellation{Config: w.config()}, http.MethodPost, storedID, "", "")
		if !strings.Contains(got, c.want) || !slices.Equal(w.did, c.did) {
			t.Errorf("%s: %q %s", name, w.did, got)
		}
	}
}

// A session is deleted with its only response.
func TestDeletingAResponse(t *testing.T) {
	w := newWorld(t)
	door := &Deletion{Config: w.config()}
	if got := serve(t, door, http.MethodDelete, storedID, "", ""); got != `{"id":"`+storedID+`","object":"response","deleted":true}`+"\n" {
		t.Error(got)
	}
	w.messages = append(w.messages, &domain.Message{ID: "msg_next", Sender: domain.SenderUser, RoundID: "rnd_next", Seq: 9})
	if got := serve(t, door, http.MethodDelete, storedID, "", ""); got != "not_empty" || len(w.did) != 1 {
		t.Errorf("with another message: %s %q", got, w.did)
	}
}

// The input of a response is its message with the files, or the results of tools.
func TestInputOfAResponse(t *testing.T) {
	w := newWorld(t)
	door := &Input{Config: w.config()}
	want := `{"object":"list","data":[{"id":"` + messageID + `","type":"message","status":"completed","role":"user",` +
		`"content":[{"text":"Hello","type":"input_text"}]}],"first_id":"` + messageID + `","last_id":"` + messageID + `","has_more":false}`
	if got := strings.TrimSpace(serve(t, door, http.MethodGet, storedID, "", "")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.messages[0].Rich.Segments = []domain.Segment{{Type: domain.SegmentFile, File: &domain.FileRef{ID: "fil_1", Name: "a.txt"}}}
	if got := serve(t, door, http.MethodGet, storedID, "", ""); !strings.Contains(got, `"content":[{"file_id":"fil_1","filename":"a.txt","type":"input_file"}]`) {
		t.Error(got)
	}
	w.called(t, domain.ApprovalStatusApproved)
	got := serve(t, door, http.MethodGet, resultsID, "", "")
	for i, text := range []string{"sunny", "noon"} {
		call := domain.ClientCallID(approvalID, i)
		if item := `"call_id":"` + call + `","output":` + strconv.Quote(text); !strings.Contains(got, item) {
			t.Errorf("%s, want %s", got, item)
		}
	}
	if read := serve(t, &Stored{Config: w.config()}, http.MethodGet, resultsID, "", ""); !strings.Contains(read, `"model":"fermata/mine"`) {
		t.Errorf("the response to the results is %s", read)
	}
}
