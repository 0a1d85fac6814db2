package vendors

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	anthropic "github.com/fermata-dev/fermata/providers/anthropic/fake"
	gemini "github.com/fermata-dev/fermata/providers/gemini/fake"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// badAnswer is what a vendor does wrong at its first call; after that it says "Sorry.".
type badAnswer struct {
	reply suite.Reply
	raw   http.HandlerFunc // in its place
	// outcome of the first call in the record; the error shown to the person; the resulting record.
	outcome string
	shown   string
	record  string
	zones   int
	// streamed: an answer that is made whole has no such ending.
	streamed bool
	timeout  float64 // seconds without a byte; 0: long
	// part: text had come, which stays where it was streamed.
	part bool
}

const (
	failedRecord    = "USER NETWORK_ERROR"
	partRecord      = "USER AI(interrupted) NETWORK_ERROR"
	correctedRecord = "USER AI? FORMAT_ERROR AI"
)

func badAnswers() map[string]badAnswer {
	zone := func(id, name string) suite.Call {
		return suite.Call{ID: id, Name: "CREATE_ZONE", Arguments: `{"name":"` + name + `"}`}
	}
	half := []suite.Call{zone("a", "Whole"), {ID: "b", Name: "CREATE_ZONE", Arguments: `{"name":"Ha`}}
	var many []suite.Call
	for i := range 500 {
		many = append(many, zone("id"+strconv.Itoa(i), "Z"+strconv.Itoa(i)))
	}
	long := slices.Repeat([]string{strings.Repeat("0123456789abcde ", 1<<14)}, 40) // 40 times 256 KiB
	return map[string]badAnswer{
		"a wrong key": {raw: failing(401, `{"error":{"type":"authentication_error","message":"no such key"}}`),
			outcome: "authentication", shown: "the key was refused", record: failedRecord},
		"an unknown model": {raw: failing(404, `{"error":{"type":"not_found_error","message":"no such model"}}`),
			outcome: "invalid_request", shown: "unknown model, or wrong base URL", record: failedRecord},
		"a web page": {raw: failing(200, "<!doctype html><html><head><title>Shop</title></head><body>Welcome to our shop</body></html>"),
			outcome: "invalid_request", shown: "Welcome to our shop", record: failedRecord},
		"a failure of theirs":   {raw: failing(500, `oops`), outcome: "network", shown: "oops", record: failedRecord},
		"too many calls a day":  {raw: failing(429, `{"error":{"message":"quota"}}`), outcome: "rate_limited", shown: "quota", record: failedRecord},
		"silence in the middle": {reply: suite.Reply{Text: []string{"Well, "}, Ending: suite.Hang}, outcome: "network", shown: "no data for", record: failedRecord, part: true, timeout: 0.4},
		"ten megabytes":         {reply: suite.Reply{Text: long, StopReason: "stop"}, outcome: "invalid_request", shown: "too large", record: failedRecord},
		"an end without a mark": {reply: suite.Reply{Text: []string{"Well, "}, Ending: suite.Cut}, outcome: "network", shown: "broke off", record: failedRecord, part: true, streamed: true},
		"a broken connection":   {reply: suite.Reply{Text: []string{"Well, "}, Ending: suite.Reset}, outcome: "network", shown: "broke off", record: failedRecord, part: true},
		"an error after a good beginning": {reply: suite.Reply{Text: []string{"Well, "}, Calls: []suite.Call{zone("a", "Whole")}, Ending: suite.Failed},
			outcome: "overloaded", shown: "code=provider_overloaded", record: failedRecord, part: true},
		"invalid UTF-8":               {reply: suite.Reply{Text: []string{"Fine\xff\xfe."}, StopReason: "stop"}, outcome: "answered", record: "USER AI"},
		"arguments that break off":    {reply: suite.Reply{Calls: half, Ending: suite.Cut}, outcome: "network", shown: "broke off", record: failedRecord},
		"arguments cut by the length": {reply: suite.Reply{Calls: half, StopReason: "length"}, outcome: "answered", record: correctedRecord},
		"calls without ids":           {reply: suite.Reply{Calls: []suite.Call{zone("", "A"), zone("", "B")}, StopReason: "calls"}, outcome: "answered", record: "USER AI ACTIONS_EXECUTED AI", zones: 2},
		"five hundred calls":          {reply: suite.Reply{Calls: many, StopReason: "calls"}, outcome: "invalid_request", shown: "more than 128 calls", record: failedRecord},
	}
}

func failing(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if strings.HasPrefix(body, "<") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// After any error of a vendor, watched or not: the person sees a readable error, the record has the class of the
// failure, nothing of an incomplete answer is run, and the session continues.
func TestWhatVendorsGetWrong(t *testing.T) {
	for _, vendor := range []suite.Fake{openai.Compatible(), anthropic.Claude(), gemini.Gemini()} {
		for _, watched := range []bool{true, false} {
			if harness.Raced && !harness.Long && watched == (vendor.Kind == "anthropic") {
				continue // half of it: ten megabytes take long under the race detector
			}
			name := vendor.Name + map[bool]string{true: ", watched", false: ", unwatched"}[watched]
			t.Run(name, func(t *testing.T) {
				s := newServer(t, harness.Databases["sqlite"](t))
				for name, bad := range badAnswers() {
					if bad.streamed && !watched && vendor.Kind != "anthropic" {
						continue // made whole
					}
					t.Run(name, func(t *testing.T) { s.suffer(t, vendor, bad, watched) })
				}
				s.Sound()
			})
		}
	}
}

func (s *server) suffer(t *testing.T, vendor suite.Fake, bad badAnswer, watched bool) {
	var calls atomic.Int32
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil:
		case calls.Add(1) > 1:
			vendor.Write(w, r, body, suite.Reply{Text: []string{"Sorry."}, StopReason: "stop"})
		case bad.raw != nil:
			bad.raw(w, r)
		default:
			vendor.Write(w, r, body, bad.reply)
		}
	}))
	defer far.Close()
	config := withKey(vendor.Config(far.URL, domain.ProtocolNative))
	if bad.timeout > 0 {
		config["timeout_seconds"] = bad.timeout
	}
	provider := s.Call("POST", "/v1/providers", map[string]any{"name": vendor.Name, "kind": vendor.Kind, "config": config}).Want(201).Str("id")
	chat := s.Call("POST", "/v1/sessions", map[string]any{"provider_id": provider}).Want(201).Str("id")
	if watched {
		_, leave := s.Listen("/v1/sessions/" + chat + "/events")
		defer leave()
	}
	before := len(s.Call("GET", "/v1/zones?limit=200", nil).Want(200).List("data"))
	if r := s.Say(chat, "Hello."); r.Str("phase") != "IDLE" {
		t.Fatalf("it does not rest: %s", r.Body)
	}
	want := bad.record
	if bad.part && (watched || vendor.Kind == "anthropic") {
		want = partRecord
	}
	if got := strings.Join(s.Record(chat), " "); got != want {
		t.Errorf("the record is %q, want %q: %s", got, want, s.LastError(chat))
	}
	if shown := s.LastError(chat); !strings.Contains(shown, bad.shown) || (bad.shown == "") != (shown == "") {
		t.Errorf("the person is shown %q, want %q in it", shown, bad.shown)
	}
	if got := s.firstOutcome(chat); got != bad.outcome {
		t.Errorf("the outcome is %q, want %q", got, bad.outcome)
	}
	if made := len(s.Call("GET", "/v1/zones?limit=200", nil).Want(200).List("data")) - before; made != bad.zones {
		t.Errorf("%d zones were made, want %d", made, bad.zones)
	}
	if s.Say(chat, "Again."); s.LastText(chat) != "Sorry." {
		t.Errorf("the session does not go on: %s", s.LastError(chat))
	}
}

// firstOutcome is that of a session's first call of the AI.
func (s *server) firstOutcome(session string) string {
	s.T.Helper()
	for _, line := range s.Call("GET", "/v1/sessions/"+session+"/timeline?limit=200", nil).Want(200).List("data") {
		if call, ok := line.(map[string]any)["roundtrip"].(map[string]any); ok {
			return call["outcome"].(string)
		}
	}
	return ""
}
