package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model replaces the AI. It runs in the test's own process and implements the OpenAI API, so that it outlives the
// servers that call it, counts their calls, and can kill them during a call.
type model struct {
	url string

	mu   sync.Mutex
	runs map[string]*modelRun // by the path under which a workspace calls
}

// modelRun is the model as one play of a scenario sees it.
type modelRun struct {
	rules []rule

	mu    sync.Mutex
	away  string // no call is answered in which the person said this; "": all are
	calls int
	gates map[string]*gate
	// before is the number of the last call of a dead process: its calls that are still at a gate do not
	// count.
	before int
	// killAt and where: at this call the server is killed, before the first byte of the
	// answer ("head"), in its middle ("middle"), or when all of it is sent ("end").
	killAt int
	where  string
	kill   func()
}

// gate holds calls back until it is opened.
type gate struct {
	waiting map[int]bool // by number of the call: whether it was asked to stream
	open    chan struct{}
}

// rule is one answer and when it is given: the first that fits.
type rule struct {
	contains string // in the person's last words
	round    int    // calls since then, from 1; 0: any
	result   string // in the results since then
	status   int    // instead of an answer: the call is refused
	kills    bool   // kills the client instead of answering
	text     string
	calls    []toolCall
	hold     string // the gate at which it stops after the first word
}

// toolCall is a native call. ${zon} and ${tol} in args stand for the latest such id in
// what the model was sent, ${word} for the last word that the person said.
type toolCall struct{ name, args string }

func newModel(t testing.TB) *model {
	m := &model{runs: map[string]*modelRun{}}
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	m.url = server.URL
	return m
}

func (m *model) begin(name string, rules []rule, kill func()) *modelRun {
	r := &modelRun{rules: rules, gates: map[string]*gate{}, kill: kill}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[name] = r
	return r
}

func (r *modelRun) killCall(n int, where string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killAt, r.where = r.calls+n, where
}

// setAway makes the calls fail in which the person said something; "": none any more.
func (r *modelRun) setAway(said string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = said
}

func (r *modelRun) counted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

func (r *modelRun) gate(name string) *gate {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gates[name] == nil {
		r.gates[name] = &gate{waiting: map[int]bool{}, open: make(chan struct{})}
	}
	return r.gates[name]
}

// held reports whether a call is held at the gate now; heldUnstreamed, whether one without streaming is.
func (r *modelRun) held(name string) bool           { return r.atGate(name, false) }
func (r *modelRun) heldUnstreamed(name string) bool { return r.atGate(name, true) }

func (r *modelRun) atGate(name string, unstreamed bool) bool {
	g := r.gate(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, stream := range g.waiting {
		if n > r.before && !(unstreamed && stream) {
			return true
		}
	}
	return false
}

// forget: the process that made the calls so far is dead.
func (r *modelRun) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = r.calls
}

func (r *modelRun) wait(name string, n int, stream bool, request *http.Request) {
	g := r.gate(name)
	r.mu.Lock()
	g.waiting[n] = stream
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(g.waiting, n)
	}()
	select {
	case <-g.open:
	case <-request.Context().Done(): // the caller has died, or given up
	}
}

// asked is what of a request the answer depends on.
type asked struct {
	Stream   bool `json:"stream"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
}

// ServeHTTP answers a call.
func (m *model) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, "/"), "/")
	m.mu.Lock()
	r := m.runs[name]
	m.mu.Unlock()
	body, err := io.ReadAll(request.Body)
	var ask asked
	if err != nil || r == nil || json.Unmarshal(body, &ask) != nil {
		http.Error(w, "cannot be answered", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.calls++
	n, where := r.calls, ""
	if n == r.killAt {
		where = r.where
	}
	status := r.rule(&ask).status
	if r.rule(&ask).kills {
		where = "head"
	}
	if r.away != "" && strings.Contains(person(&ask), r.away) {
		status = http.StatusServiceUnavailable
	}
	r.mu.Unlock()
	if where == "head" || where != "" && status != 0 {
		r.kill()
		return
	}
	if status != 0 {
		http.Error(w, `{"error":{"message":"It is not to be."}}`, status)
		return
	}
	pieces := pieces(r.answer(&ask), &ask)
	if ask.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	hold := r.rule(&ask).hold
	for i, piece := range pieces {
		if where == "middle" && i == (len(pieces)+1)/2 {
			r.kill()
			return
		}
		if hold != "" && i == 1 {
			r.wait(hold, n, ask.Stream, request)
		}
		_, _ = io.WriteString(w, piece) // the caller may have died
		w.(http.Flusher).Flush()
	}
	if where == "end" || where == "middle" {
		r.kill()
	}
}

// rule finds the rule that fits.
func (r *modelRun) rule(ask *asked) *rule {
	person, results, round := "", "", 1
	for _, message := range ask.Messages {
		switch message.Role {
		case "user":
			person, results, round = message.Content, "", 1
		case "assistant":
			round++
		case "tool":
			results += message.Content
		}
	}
	for i := range r.rules {
		is := &r.rules[i]
		if strings.Contains(person, is.contains) && strings.Contains(results, is.result) && (is.round == 0 || is.round == round) {
			return is
		}
	}
	return &rule{text: "I have nothing to say to that."}
}

// person is what the person said last, without what the server adds to it.
func person(ask *asked) string {
	for _, m := range slices.Backward(ask.Messages) {
		if m.Role == "user" {
			said, _, _ := strings.Cut(m.Content, "<fermata")
			return said
		}
	}
	return ""
}

var zoneOrTool = regexp.MustCompile(`(zon|tol)_[0-9a-f]{32}`)

// answer is the rule's message, its placeholders filled.
func (r *modelRun) answer(ask *asked) map[string]any {
	is := r.rule(ask)
	latest := map[string]string{}
	if words := strings.Fields(person(ask)); len(words) > 0 {
		latest["${word}"] = words[len(words)-1]
	}
	for _, message := range ask.Messages {
		if message.Role == "tool" || message.Role == "user" {
			for _, id := range zoneOrTool.FindAllString(message.Content, -1) {
				latest["${"+id[:3]+"}"] = id
			}
		}
	}
	var calls []map[string]any
	for i, c := range is.calls {
		args := c.args
		for name, id := range latest {
			args = strings.ReplaceAll(args, name, id)
		}
		calls = append(calls, map[string]any{
			"index": i, "id": fmt.Sprintf("c%d", i), "type": "function", "function": map[string]any{"name": c.name, "arguments": args},
		})
	}
	return map[string]any{"role": "assistant", "content": is.text, "tool_calls": calls}
}

// pieces are the bytes of an answer in the portions in which they are sent.
func pieces(message map[string]any, ask *asked) []string {
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 10}
	encode := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // maps and strings always marshal
		}
		return string(b)
	}
	finish := "stop"
	if len(message["tool_calls"].([]map[string]any)) > 0 {
		finish = "tool_calls"
	}
	if !ask.Stream {
		whole := encode(map[string]any{
			"model": "m", "choices": []any{map[string]any{"message": message, "finish_reason": finish}}, "usage": usage,
		})
		return []string{whole[:len(whole)/2], whole[len(whole)/2:]}
	}
	var all []string
	chunk := func(delta map[string]any, reason any) {
		all = append(all, "data: "+encode(map[string]any{
			"model": "m", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}},
		})+"\n\n")
	}
	for word := range strings.SplitAfterSeq(message["content"].(string), " ") {
		chunk(map[string]any{"content": word}, nil)
	}
	for _, c := range message["tool_calls"].([]map[string]any) {
		chunk(map[string]any{"tool_calls": []any{c}}, nil)
	}
	chunk(map[string]any{}, finish)
	return append(all, "data: "+encode(map[string]any{"choices": []any{}, "usage": usage})+"\n\n", "data: [DONE]\n\n")
}
