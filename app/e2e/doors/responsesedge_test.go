package doors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// The same request ten times at once is one response, whatever names its session; and so is
// one that is made again later. What it said of itself is kept.
func TestTheSameResponseTenTimesAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, echo)
		s.Key = key
		before, _ := s.respond(map[string]any{"input": "before"})
		for name, body := range map[string]map[string]any{
			"no name": {}, "a name": {"conversation": "mine"}, "an object": {"conversation": map[string]any{"id": "theirs"}},
			"the one before": {"previous_response_id": before.ID},
		} {
			body["input"], body["metadata"] = "hello from "+name, map[string]any{"of": name}
			var at sync.WaitGroup
			answers := make([]*responseSeen, 10)
			for i := range answers {
				own := maps.Clone(body)
				at.Go(func() { answers[i], _ = s.respond(own) })
			}
			at.Wait()
			first := answers[0]
			for _, a := range answers {
				if a.Status != "completed" || a.text() != "Yes." || a.ID != first.ID || a.Metadata["of"] != name {
					t.Fatalf("%s: one of ten is %+v, the first %+v", name, a, first)
				}
			}
			if later, _ := s.respond(body); later.ID != first.ID {
				t.Errorf("%s: made again it is %+v", name, later)
			}
			want := map[bool]int{true: 4, false: 2}[name == "the one before"]
			if got := s.said(first.Talk.ID); len(got) != want {
				t.Errorf("%s: the record is %q", name, got)
			}
			if got := s.response(first.ID); got.Metadata["of"] != name || got.PreviousResponseID != first.PreviousResponseID {
				t.Errorf("%s: read again it is %+v", name, got)
			}
		}
		s.Key = harness.RootKey
		s.Sound()
	})
}

// The same first words through two doors are two sessions: clients do not repeat a request at another door. Each
// one made again finds its own.
func TestTheSameWordsThroughTwoDoors(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, echo)
		s.Key = key
		chat := s.chat(key, nil, "hello")
		response, _ := s.respond(map[string]any{"input": "hello"})
		if chat.session == "" || response.Status != "completed" || response.Talk.ID == chat.session {
			t.Fatalf("the talks are %s and %s (%s)", chat.session, response.Talk.ID, response.Status)
		}
		if again := s.chat(key, nil, "hello"); again.session != chat.session {
			t.Errorf("the completion made again is in %s, not in %s", again.session, chat.session)
		}
		if again, _ := s.respond(map[string]any{"input": "hello"}); again.ID != response.ID {
			t.Errorf("the response made again is %s, not %s", again.ID, response.ID)
		}
		for _, session := range []string{chat.session, response.Talk.ID} {
			if got := s.said(session); len(got) != 2 {
				t.Errorf("the record is %q", got)
			}
		}
		s.Key = harness.RootKey
		s.Sound()
	})
}

// A response that was followed before is followed in a fork: the other talk stays as it was.
func TestAResponseIsFollowedTwice(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, echo)
		s.Key = key
		first, _ := s.respond(map[string]any{"input": "one"})
		second, _ := s.respond(map[string]any{"input": "two", "previous_response_id": first.ID})
		third, _ := s.respond(map[string]any{"input": "three", "previous_response_id": second.ID})
		others := make([]*responseSeen, 4)
		for edit := range 2 { // one after the other: of two chats at once, one would wait until the other rests for long
			var both sync.WaitGroup
			for i := edit; i < len(others); i += 2 {
				both.Go(func() {
					others[i], _ = s.respond(map[string]any{"input": fmt.Sprint("two, edited ", edit), "previous_response_id": first.ID})
				})
			}
			both.Wait()
		}
		home := first.Talk.ID
		if second.Talk.ID != home || third.Talk.ID != home || second.Fermata.NewSession != "" {
			t.Fatalf("a talk has become %+v, %+v and %+v", first, second, third)
		}
		for i, o := range others {
			if o.Talk.ID == home || o.Fermata.DepartedFrom != home && o.Fermata.DepartedFrom != "" || o.ID != others[i%2].ID || o.text() != "Yes." {
				t.Errorf("the edited one is %+v", o)
			}
			want := fmt.Sprintf("USER one|AI Yes.|SYSTEM FORKED|USER two, edited %d|AI Yes.", i%2)
			if got := strings.Join(s.said(o.Talk.ID), "|"); got != want {
				t.Errorf("its record is %q", got)
			}
		}
		onward, _ := s.respond(map[string]any{"input": "three, edited", "previous_response_id": others[0].ID})
		if onward.Talk.ID != others[0].Talk.ID || onward.Fermata.NewSession != "" {
			t.Errorf("the fork continues as %+v", onward)
		}
		if got := strings.Join(s.said(home), "|"); got != "USER one|AI Yes.|USER two|AI Yes.|USER three|AI Yes." {
			t.Errorf("the first record has become %q", got)
		}
		s.Call("POST", "/v1/sessions/"+home+"/messages", map[string]any{"text": "from the page"}).Want(202)
		s.Until(home, "idle")
		if next, _ := s.respond(map[string]any{"input": "four", "previous_response_id": third.ID}); next.Talk.ID != home {
			t.Errorf("what another door said makes a fork: %+v", next)
		}
		s.Key = harness.RootKey
		s.Sound()
	})
}

// A client that leaves in the middle of a stream, at whatever byte, changes nothing.
func TestAResponseThatIsLeft(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t),
		`[{"token_delay_ms": 3, "answer": {"text": "One two three four five six seven eight nine ten."}}]`)
	s.Key = key
	for _, bytes := range []int{0, 1, 15, 200, 400, 777, 1200, 3000} {
		body := map[string]any{"model": "fermata", "input": fmt.Sprint("leave after ", bytes)}
		left := maps.Clone(body)
		left["stream"] = true
		encoded, err := json.Marshal(left)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/responses", strings.NewReader(string(encoded)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(bufio.NewReaderSize(response.Body, 16), make([]byte, bytes)) // as far as there is
		_ = response.Body.Close()
		answer, _ := s.respond(body)
		if answer.text() != "One two three four five six seven eight nine ten." || answer.Talk.ID != response.Header.Get("X-Fermata-Session") {
			t.Errorf("after %d bytes it is %+v", bytes, answer)
		}
		if got := s.said(answer.Talk.ID); len(got) != 2 {
			t.Errorf("after %d bytes the record is %q", bytes, got)
		}
	}
}

// Invalid requests are answered in OpenAI's form with our code, and change nothing.
func TestWhatResponsesGetWrong(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), echo)
	s.Call("POST", "/v1/workspaces", map[string]any{"id": "elsewhere"}).Want(201)
	theirKey := s.Call("POST", "/v1/keys", map[string]any{"name": "t", "role": "member"}, "Fermata-Workspace", "elsewhere").Want(201).Str("key")
	s.Call("POST", "/v1/providers", map[string]any{"name": "S", "kind": "script", "is_default": true,
		"config": map[string]any{"steps": []any{map[string]any{"answer": map[string]any{"text": "Yes."}}}}}, "Fermata-Workspace", "elsewhere").Want(201)
	s.Key = theirKey
	theirs, _ := s.respond(map[string]any{"input": "hello"})
	s.Key = key
	begun, _ := s.respond(map[string]any{"input": "begun", "conversation": "ours"})
	item := `{"role":"user","content":"hello"}`
	unknown := "resp_" + strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		body, code, param string
		status            int
	}{
		"no JSON":               {`{"model"`, "malformed_json", "", 400},
		"nothing":               {``, "empty_body", "", 400},
		"no model":              {`{"input":"hello"}`, "invalid", "model", 422},
		"unknown model":         {`{"model":"gpt-5","input":"hello"}`, "not_found", "model", 404},
		"unknown provider":      {`{"model":"fermata/Unknown","input":"hello"}`, "not_found", "model", 404},
		"a reference":           {`{"model":"fermata","input":[{"type":"item_reference","id":"msg_1"}]}`, "invalid", "input[0].id", 422},
		"metadata of a kind":    {`{"model":"fermata","metadata":{"a":7},"input":"x"}`, "invalid", "metadata", 422},
		"a name that steers":    {`{"model":"fermata","conversation":"a\u202eb","input":"x"}`, "invalid", "conversation", 422},
		"an unknown one before": {`{"model":"fermata","previous_response_id":"` + unknown + `","input":"x"}`, "not_found", "previous_response_id", 404},
		"another workspace's":   {`{"model":"fermata","previous_response_id":"` + theirs.ID + `","input":"x"}`, "not_found", "previous_response_id", 404},
		"another's session":     {`{"model":"fermata","conversation":"` + theirs.Talk.ID + `","input":"x"}`, "not_found", "", 404},
		"100,000 items":         {`{"model":"fermata","input":[` + strings.Repeat(item+",", 99_999) + item + `]}`, "too_large", "", 413},
		"too many items":        {`{"model":"fermata","input":[` + strings.Repeat(`{"role":"user","content":"a"},`, 20_000) + item + `]}`, "too_large", "", 413},
	} {
		reply := s.openAI("POST", "/v1/responses", c.body)
		var got struct {
			Error struct{ Message, Type, Param, Code string }
		}
		if err := json.Unmarshal(reply.Body, &got); err != nil {
			t.Fatalf("%s: %s", name, reply.Body)
		}
		if reply.Status != c.status || got.Error.Code != c.code || got.Error.Param != c.param || got.Error.Message == "" || got.Error.Type == "" {
			t.Errorf("%s: %d %+v", name, reply.Status, got.Error)
		}
	}
	for _, field := range []string{"conversation", "previous_response_id"} {
		value := map[string]string{"conversation": "theirs", "previous_response_id": begun.ID}[field]
		got := s.responseAs(map[string]any{"model": "fermata", "input": "hello", field: value}, "X-Fermata-Session", "mine")
		if got.Status != 422 || got.Str("error.code") != "invalid" || got.Str("error.param") != field {
			t.Errorf("a header that contradicts %s: %d %s", field, got.Status, got.Body)
		}
	}
	for _, call := range [][2]string{
		{"GET", ""}, {"GET", "?stream=true"}, {"GET", "/input_items"}, {"POST", "/cancel"}, {"DELETE", ""},
	} {
		id := "/v1/responses/" + unknown
		none, other := s.openAI(call[0], id+call[1], nil), s.openAI(call[0], "/v1/responses/"+theirs.ID+call[1], nil)
		if none.Status != 404 || other.Status != 404 || none.Str("error.code") != "not_found" || other.Str("error.message") != none.Str("error.message") {
			t.Errorf("%s %s: unknown %s, another workspace's %s", call[0], call[1], none.Body, other.Body)
		}
	}
	if list := s.Call("GET", "/v1/sessions", nil).Want(200).List("data"); len(list) != 1 || len(s.said(begun.Talk.ID)) != 2 {
		t.Errorf("something was stored: %v", list)
	}
	s.Key = theirKey
	if got := s.response(theirs.ID); got.Status != "completed" || got.text() != "Yes." {
		t.Errorf("the other workspace's has become %+v", got)
	}
}
