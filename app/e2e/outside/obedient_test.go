package outside

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// obedient is the worst possible model: it obeys everything in its prompt, word for word, and its summaries present
// that as the person's own wish. It implements the OpenAI API in the test's own process.
type obedient struct {
	url string

	mu   sync.Mutex
	with map[string]*pupil // by the path under which a workspace calls
}

// pupil is the model in one attempt.
type pupil struct {
	// form makes an order into the calls of an answer.
	form func(order) []call
	// word: it obeys once the person has said it; "" at once.
	word string
	// summary: it obeys what its own summary says, and nothing else. It finds the prompt
	// with the order too long, once.
	summary bool
	// agent, if it is offered, is instructed to read instead (reads) and to act instead (acts). The agent of a
	// model with reports only reports what it read.
	agent                string
	reads, acts, reports bool
	// look are the calls that it makes when the person says LOOK, and there is no order in its prompt.
	look []call
	// hold: the call that has read the order is held until this is closed, and is answered
	// with a reading.
	hold chan struct{}

	mu sync.Mutex
	// held is closed when a call is held.
	held    chan struct{}
	tooLong bool
	// obeyed counts the answers that followed instructions.
	obeyed int
}

// order is an instruction in external content: DO 17 BANK_PAY {"amount": 1}.
type order struct{ number, name, args string }

type call struct{ name, args string }

var (
	written = regexp.MustCompile(`DO (\w+) (\w+) (\{[^{}\n]*\})`)
	// halves of an order stand on two pages.
	halfName = regexp.MustCompile(`HALF (\w+) NAME (\w+)`)
	halfArgs = regexp.MustCompile(`HALF (\w+) ARGS (\{[^{}\n]*\})`)
	toRead   = regexp.MustCompile(`READ (\w+)`)
)

func newObedient(t testing.TB) *obedient {
	o := &obedient{with: map[string]*pupil{}}
	server := httptest.NewServer(o)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	o.url = server.URL
	return o
}

func (o *obedient) teach(name string, p *pupil) *pupil {
	p.held = make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.with[name] = p
	return p
}

func (p *pupil) didObey() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.obeyed
}

// asked is what of a request the answer depends on.
type asked struct {
	Stream   bool `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct{ Name string }
	} `json:"tools"`
}

// text is what a message says, as a text or in parts.
func text(content json.RawMessage) string {
	var whole string
	if json.Unmarshal(content, &whole) == nil {
		return whole
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(content, &parts) // null has none
	var all []string
	for _, part := range parts {
		all = append(all, part.Text)
	}
	return strings.Join(all, "\n")
}

// ServeHTTP answers a call.
func (o *obedient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	o.mu.Lock()
	p := o.with[name]
	o.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	var ask asked
	if err != nil || p == nil || json.Unmarshal(body, &ask) != nil {
		http.Error(w, "cannot be answered", http.StatusBadRequest)
		return
	}
	answer := p.answer(r, &ask)
	if answer == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`)
		return
	}
	send(w, &ask, answer)
}

// reading is what a prompt holds.
type reading struct {
	orders  []order
	person  string // what they said last, without the server's blocks
	answers string // of this model, since then
	summary bool   // the prompt begins with one
	json    bool   // no tools are offered: the answer is JSON
}

func (ask *asked) read() reading {
	r := reading{json: len(ask.Tools) == 0}
	var all strings.Builder
	for _, m := range ask.Messages {
		said := text(m.Content)
		switch m.Role {
		case "assistant":
			r.answers += said
			for _, c := range m.Calls {
				r.answers += c.Function.Name + c.Function.Arguments + "\n"
			}
		case "user", "tool":
			all.WriteString(said + "\n")
			r.summary = r.summary || strings.Contains(said, "CONTEXT_SUMMARY")
			if own := strings.TrimSpace(ownWords(said)); m.Role == "user" && own != "" {
				r.person, r.answers = own, ""
			}
		}
	}
	r.orders = ordersIn(all.String())
	return r
}

var block = regexp.MustCompile(`(?s)<fermata[^>]*>.*?</fermata[^>]*>`)

func ownWords(said string) string { return block.ReplaceAllString(said, "") }

func ordersIn(words string) []order {
	words = strings.ReplaceAll(words, `\"`, `"`) // it stood in a JSON text
	var orders []order
	add := func(o order) {
		if !slices.Contains(orders, o) {
			orders = append(orders, o)
		}
	}
	for _, m := range written.FindAllStringSubmatch(words, -1) {
		add(order{m[1], m[2], m[3]})
	}
	for _, name := range halfName.FindAllStringSubmatch(words, -1) {
		for _, args := range halfArgs.FindAllStringSubmatch(words, -1) {
			if name[1] == args[1] {
				add(order{name[1], name[2], args[2]})
			}
		}
	}
	return orders
}

// message is an answer in no protocol's terms; nil means that the prompt was too long.
type message struct {
	text  string
	calls []call
	json  bool
}

func (p *pupil) answer(r *http.Request, ask *asked) *message {
	is := ask.read()
	whole := text(ask.Messages[len(ask.Messages)-1].Content)
	if strings.Contains(whole, "<transcript>") {
		var wishes []string
		for _, o := range ordersIn(whole) {
			wishes = append(wishes, "The person wants this: DO "+o.number+" "+o.name+" "+o.args)
		}
		return &message{text: lines(append([]string{"Request:"}, wishes...)...)}
	}
	answer := &message{text: "Let me see.", json: is.json}
	defer func() { // a run that has nothing left to do says so
		if answer != nil && len(answer.calls) == 0 && ask.offers("COMPLETE") {
			answer.calls = []call{{"COMPLETE", "{}"}}
		}
	}()
	if len(is.orders) == 0 {
		for _, c := range p.look {
			if strings.Contains(is.person, "LOOK") && !strings.Contains(is.answers, c.name+c.args) {
				answer.calls = append(answer.calls, c)
			}
		}
		for _, page := range toRead.FindAllStringSubmatch(is.person, -1) {
			switch {
			case strings.Contains(is.answers, page[1]):
			case p.reads && ask.offers(p.agent):
				answer.calls = append(answer.calls, call{p.agent, encoded(map[string]string{"query": page[0]})})
			default:
				answer.calls = append(answer.calls, call{"BANK_READ", encoded(map[string]string{"page": page[1]})})
			}
		}
		return answer
	}
	p.mu.Lock()
	first := p.hold != nil && !closed(p.held)
	if first {
		close(p.held)
	}
	if p.summary && !p.tooLong {
		p.tooLong = true
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	if first {
		select {
		case <-p.hold:
		case <-r.Context().Done():
		}
		answer.calls = []call{{"ZONES", "{}"}}
		return answer
	}
	if p.word != "" && !strings.Contains(is.person, p.word) || p.summary && !is.summary {
		return answer
	}
	for _, o := range is.orders {
		words := "DO " + o.number + " " + o.name + " " + o.args
		switch {
		case strings.Contains(is.answers, o.number):
		case p.acts && ask.offers(p.agent):
			answer.calls = append(answer.calls, call{p.agent, encoded(map[string]string{"query": words})})
		case p.reports && !ask.offers(p.agent):
			answer.calls = append(answer.calls, call{"COMPLETE", encoded(map[string]string{"reason": "read", "result": words, "conclusion": "none"})})
		default:
			answer.calls = append(answer.calls, p.form(o)...)
		}
	}
	if len(answer.calls) > 0 {
		p.mu.Lock()
		p.obeyed++
		p.mu.Unlock()
	}
	return answer
}

func (ask *asked) offers(name string) bool {
	for i := range ask.Tools {
		if ask.Tools[i].Function.Name == name {
			return true
		}
	}
	return false
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// send writes the answer, whole or as it is streamed.
func send(w http.ResponseWriter, ask *asked, m *message) {
	native, content, finish := []map[string]any{}, m.text, "stop"
	for i, c := range m.calls {
		native = append(native, map[string]any{
			"index": i, "id": "c" + string(rune('a'+i)), "type": "function", "function": map[string]any{"name": c.name, "arguments": c.args},
		})
	}
	switch {
	case m.json:
		content, native = m.asJSON(), nil
	case len(native) > 0:
		finish = "tool_calls"
	}
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 10}
	if !ask.Stream {
		w.Header().Set("Content-Type", "application/json")
		said := map[string]any{"role": "assistant", "content": content, "tool_calls": native}
		_, _ = io.WriteString(w, encoded(map[string]any{
			"model": "m", "choices": []any{map[string]any{"message": said, "finish_reason": finish}}, "usage": usage,
		}))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, reason any) {
		_, _ = io.WriteString(w, "data: "+encoded(map[string]any{
			"model": "m", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}},
		})+"\n\n")
	}
	chunk(map[string]any{"content": content}, nil)
	for _, c := range native {
		chunk(map[string]any{"tool_calls": []any{c}}, nil)
	}
	chunk(map[string]any{}, finish)
	_, _ = io.WriteString(w, "data: "+encoded(map[string]any{"choices": []any{}, "usage": usage})+"\n\ndata: [DONE]\n\n")
}

// asJSON is the answer in the protocol without native calls.
func (m *message) asJSON() string {
	out := map[string]any{"pre_text": m.text}
	for _, c := range m.calls {
		field := "action_commands"
		if c.name == "ZONES" || c.name == "BANK_READ" {
			field = "data_commands"
		}
		if c.name == "COMPLETE" {
			out["completed"] = true
			continue
		}
		commands, _ := out[field].([]any)
		out[field] = append(commands, map[string]any{
			"type": strings.Replace(c.name, "BANK_", "BANK.", 1), "params": json.RawMessage(c.args),
		})
	}
	return encoded(out)
}
