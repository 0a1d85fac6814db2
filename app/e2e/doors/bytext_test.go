package doors

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const twoZones = `[
	{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
	{"when": {"contains": "make", "roundtrip": 2}, "answer": {"text": "And one more.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Shed"}}]}},
	{"when": {"contains": "make", "roundtrip": 3}, "answer": {"text": "Both are looked after."}},
	{"when": {"contains": "ask", "roundtrip": 1}, "answer": {"text": "Tell me.", "calls": [{"name": "ASK_USER",
		"arguments": {"type": "Validation", "data": {"message": "Shall I?"}}}]}},
	{"answer": {"text": "Very well."}}]`

func zoneNames(s *server) string {
	s.T.Helper()
	var names []string
	for _, z := range s.Call("GET", "/v1/zones", nil).Want(200).List("data") {
		names = append(names, z.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

func newAsking(t *testing.T, db app.Database, settings map[string]any) (s *server, key string) {
	t.Helper()
	s, key = newChatServer(t, db, twoZones)
	all := map[string]any{"require_validation": true}
	maps.Copy(all, settings)
	s.Call("PATCH", "/v1/settings", all).Want(200)
	return s, key
}

// Where the workspace has it so, a message that says yes answers what was asked: once, however
// often it is sent, and nothing that is asked after it.
func TestAYesByText(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newAsking(t, db, map[string]any{"approve_by_text": true})
		first := s.chat(key, nil, "make two zones")
		said := []string{"make two zones", first.text, "Yes."}
		var at sync.WaitGroup
		answers := make([]*chatAnswer, 5)
		for i := range answers {
			at.Go(func() { answers[i] = s.chat(key, nil, said...) })
		}
		at.Wait()
		second := answers[0]
		for _, a := range answers {
			if a.status != 200 || a.ID != second.ID || a.session != first.session || !strings.Contains(a.text, "And one more.") || a.Fermata.ApprovalID == first.Fermata.ApprovalID {
				t.Fatalf("one of five is %+v, the first %+v", a, second)
			}
		}
		if got := zoneNames(s); got != "Garden" {
			t.Fatalf("after one yes, five times, there are %q", got)
		}
		approval := s.Call("GET", "/v1/approvals/"+first.Fermata.ApprovalID, nil).Want(200)
		if approval.Str("status") != "approved" || !strings.HasPrefix(approval.Str("settled_by"), "text:key_") {
			t.Errorf("it is settled as %s", approval.Body)
		}
		no := slices.Concat(said, []string{second.text, "non"})
		third := s.chat(key, nil, no...)
		if third.status != 200 || third.text != "𝄐 Refused, nothing was changed:\n- Add the zone “Shed”" || zoneNames(s) != "Garden" || third.session != first.session {
			t.Errorf("a no gives %q, and %q", third.text, zoneNames(s))
		}
		// Nothing waits: it is a message like any other.
		fourth := s.chat(key, nil, append(no, third.text, "yes")...)
		if fourth.text != "Very well." || fourth.session != first.session {
			t.Errorf("a yes to nothing gives %+v", fourth)
		}
		want := "USER make two zones|AI I make it.|USER Yes.|DATA|AI And one more.|USER non|USER yes|AI Very well."
		var received []string
		for _, line := range s.said(first.session) {
			if !strings.HasPrefix(line, "SYSTEM") {
				received = append(received, line)
			}
		}
		if got := strings.Join(received, "|"); got != strings.Replace(want, "|DATA", "", 1) {
			t.Errorf("the record is %q", got)
		}
		question := s.chat(key, nil, "ask me")
		if answered := s.chat(key, nil, "ask me", question.text, "oui"); answered.text != "Very well." {
			t.Errorf("a question is answered with %+v", answered)
		}
		settled := s.Call("GET", "/v1/approvals/"+question.Fermata.ApprovalID, nil).Want(200)
		if !strings.HasPrefix(settled.Str("settled_by"), "text:key_") || settled.At("decision.value") != true {
			t.Errorf("the question is settled as %s", settled.Body)
		}
		s.Sound()
	})
}

// A response that waits is followed by a yes, which is a response of its own.
func TestAYesToAResponse(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, _ := newAsking(t, db, map[string]any{"approve_by_text": true})
		send := func(previous, input string) (id, status, text string) {
			t.Helper()
			body := map[string]any{"model": "fermata", "input": input}
			if previous != "" {
				body["previous_response_id"] = previous
			}
			r, code := s.respond(body)
			if code != 200 {
				t.Fatalf("%s: %d %+v", input, code, r)
			}
			return r.ID, r.Status, r.text()
		}
		first, status, _ := send("", "make two zones")
		if status != "incomplete" {
			t.Fatalf("it is %s", status)
		}
		second, status, text := send(first, "yes")
		if again, _, _ := send(first, "yes"); again != second || second == first || status != "incomplete" || !strings.Contains(text, "And one more.") {
			t.Errorf("a yes gives %s (%s) %q, and again %s", second, status, text, again)
		}
		if got := zoneNames(s); got != "Garden" {
			t.Fatalf("after one yes, sent twice, there are %q", got)
		}
		if _, status, text := send(second, "OUI"); status != "completed" || !strings.Contains(text, "Both are looked after.") {
			t.Errorf("the second yes gives %s %q", status, text)
		}
		if got := zoneNames(s); got != "Garden Shed" && got != "Shed Garden" {
			t.Errorf("there are %q", got)
		}
		s.Sound()
	})
}

// A yes is a message like any other where the workspace has not said otherwise, where the client
// was shown another approval, and where the message says more; and what is sensitive is signed.
func TestAYesThatIsNoAnswer(t *testing.T) {
	s, key := newAsking(t, harness.Databases["sqlite"](t), nil)
	if s.Call("GET", "/v1/settings", nil).Want(200).At("approve_by_text") != false {
		t.Fatal("it is on")
	}
	asked := s.chat(key, nil, "make one")
	s.chat(key, nil, "make one", asked.text, "yes")
	if got := s.Call("GET", "/v1/approvals/"+asked.Fermata.ApprovalID, nil).Want(200).Str("status"); got != "superseded" || zoneNames(s) != "" {
		t.Errorf("switched off, a yes leaves it %s, with %q", got, zoneNames(s))
	}
	s.Call("PATCH", "/v1/settings", map[string]any{"approve_by_text": true}).Want(200)
	s.Call("PATCH", "/v1/settings", map[string]any{"sensitive_commands": []string{"CREATE_ZONE"}}).Want(200)
	grave := s.chat(key, nil, "make a grave one")
	refused := s.chat(key, nil, "make a grave one", grave.text, "yes")
	if refused.status != 403 || refused.Error.Code != "passkey_required" {
		t.Errorf("a yes to what is sensitive gives %d %+v", refused.status, refused.Error)
	}
	if got := s.Call("GET", "/v1/approvals/"+grave.Fermata.ApprovalID, nil).Want(200).Str("status"); got != "open" || zoneNames(s) != "" {
		t.Errorf("it is %s, with %q", got, zoneNames(s))
	}
	if got := s.chat(key, nil, "make a grave one", grave.text, "no"); got.status != 200 {
		t.Errorf("a no gives %d %+v", got.status, got.Error)
	}
}
