package crash

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/fermata-dev/fermata/internal/testkit"
)

// result is the final state of a play, in a form that allows two plays to be compared: ids are numbered in the
// order in which they appear, times and numbers of events are omitted.
type result struct {
	text  string
	lean  string // without what was kept of cut answers
	calls int
}

// finish checks what must hold after any play, and gives its result.
func (p *player) finish() result {
	p.t.Helper()
	p.checks()
	r := result{text: p.retell(true), lean: p.retell(false), calls: p.run.counted()}
	p.repeatAll()
	if again := p.retell(true); again != r.text {
		p.t.Errorf("repeating every request with its key changed something:\n%s", difference(r.text, again))
	}
	return r
}

func (c *talkRecord) user() bool { return c.Sender == "USER" }

func (p *player) checks() {
	p.t.Helper()
	for _, c := range p.agents() {
		p.oneResultEach(c)
		p.sessionLog(c)
	}
	for _, c := range p.chats {
		p.acknowledged(c)
		p.oneResultEach(c)
		p.sessionLog(c)
	}
	p.workspaceLog()
	p.invariants()
	p.firedOnce()
	p.neverTwoHolders()
}

// agents are the sessions of agents, the first called first.
func (p *player) agents() []*dialogue {
	p.t.Helper()
	var list []*dialogue
	for _, s := range p.all("/v1/sessions", "type=AGENT") {
		list = append(list, &dialogue{p: p, id: s["id"].(string)})
	}
	slices.SortFunc(list, func(x, y *dialogue) int { return strings.Compare(x.id, y.id) })
	return list
}

// all reads a whole list.
func (p *player) all(path string, filters ...string) []map[string]any {
	p.t.Helper()
	var list []map[string]any
	for after := ""; ; {
		r := p.get(path + "?" + strings.Join(append(filters, "limit=200", "after="+after), "&"))
		for _, item := range r.List("data") {
			list = append(list, item.(map[string]any))
		}
		if after = r.Str("next_cursor"); after == "" {
			return list
		}
	}
}

// talkRecord is what the checks look at in a message.
type talkRecord struct {
	ID     string `json:"id"`
	Seq    int64  `json:"seq"`
	Sender string `json:"sender"`
	Status string `json:"status"`
	Rich   *struct {
		LinearText string `json:"linear_text"`
	} `json:"rich_content"`
	Raw *struct {
		Calls []struct{ ID, Name string } `json:"calls"`
	} `json:"ai_raw"`
	System *struct {
		Type           string `json:"type"`
		CommandResults []struct {
			CallID string `json:"call_id"`
			Status string `json:"status"`
		} `json:"command_results"`
	} `json:"system_message"`
}

func (p *player) record(c *dialogue) []talkRecord {
	p.t.Helper()
	var page struct{ Data []talkRecord }
	body := p.get(c.path("/messages?limit=200")).Body
	if err := json.Unmarshal(body, &page); err != nil {
		p.t.Fatalf("the record cannot be read: %v: %s", err, body)
	}
	return page.Data
}

// acknowledged checks that every message with a 2xx response is in the record once, in the order of sending.
func (p *player) acknowledged(c *dialogue) {
	p.t.Helper()
	var have, want []string
	var last int64
	for _, m := range p.record(c) {
		if m.Seq != 0 && m.Seq <= last {
			p.t.Errorf("message %s has number %d behind %d", m.ID, m.Seq, last)
		}
		last = max(last, m.Seq)
		if m.user() && m.Rich != nil {
			have = append(have, m.ID+" "+m.Rich.LinearText)
		}
	}
	if c.seed != "" && len(have) == 1 && strings.Contains(have[0], " "+c.seed) {
		have = nil // a run begins with a copy of it, once
	}
	for _, m := range c.acked {
		want = append(want, m.id+" "+m.text)
	}
	if !slices.Equal(have, want) {
		p.t.Errorf("acknowledged were %q\nin the record are %q", want, have)
	}
}

// oneResultEach: each call that the AI made has one result, and no more. A question's
// result is the person's answer, which the record holds as a message; a run's end is
// that of its COMPLETE.
func (p *player) oneResultEach(c *dialogue) {
	p.t.Helper()
	results := map[string]int{}
	var calls []string
	for _, m := range p.record(c) {
		if m.Raw != nil {
			for _, call := range m.Raw.Calls {
				if call.Name != "ASK_USER" && call.Name != "COMPLETE" {
					calls = append(calls, call.ID)
				}
			}
		}
		if m.System != nil {
			for _, r := range m.System.CommandResults {
				if r.CallID != "" {
					results[r.CallID]++
				}
			}
		}
	}
	for _, id := range calls {
		if results[id] != 1 {
			p.t.Errorf("call %s of %d has %d results", id, len(calls), results[id])
		}
	}
}

// logRow is an event of the log.
type logRow struct {
	Seq        int64
	SessionSeq int64 `json:"session_seq"`
	Type       string
	Data       json.RawMessage
}

func (p *player) log(path string) []logRow {
	p.t.Helper()
	var all []logRow
	for after := int64(0); ; {
		var page struct {
			Data       []logRow
			NextCursor string `json:"next_cursor"`
		}
		body := p.get(fmt.Sprintf("%s&limit=200&after=%d", path, after)).Body
		if err := json.Unmarshal(body, &page); err != nil {
			p.t.Fatalf("the log cannot be read: %v: %s", err, body)
		}
		all = append(all, page.Data...)
		if page.NextCursor == "" {
			return all
		}
		after = all[len(all)-1].Seq
	}
}

// sessionLog checks that a session's events are numbered without a gap; a continuous listener received each of
// them once.
func (p *player) sessionLog(c *dialogue) {
	p.t.Helper()
	var ids []int64
	for _, e := range p.log(c.path("/events?")) {
		ids = append(ids, e.Seq)
		if e.SessionSeq != int64(len(ids)) {
			p.t.Errorf("event %d (%s) of the session has session_seq %d at place %d", e.Seq, e.Type, e.SessionSeq, len(ids))
			return
		}
	}
	if c.stream == nil {
		return
	}
	testkit.Until(p.t, "the listener to catch up", func() bool { return c.stream.last() >= ids[len(ids)-1] })
	c.stream.locked(func() {
		if !slices.Equal(c.stream.ids, ids) {
			p.t.Errorf("the listener received %v\nthe log has %v", c.stream.ids, ids)
		}
	})
}

// workspaceLog: the workspace's events are numbered from 1 without a gap.
func (p *player) workspaceLog() {
	p.t.Helper()
	for i, e := range p.log("/v1/events?sessions=*") {
		if e.Seq != int64(i)+1 {
			p.t.Errorf("event %d (%s) is at position %d of the workspace's log", e.Seq, e.Type, i+1)
			return
		}
	}
}

func (p *player) invariants() {
	p.t.Helper()
	rows := p.get("/v1/admin/invariants").List("data")
	if len(rows) == 0 {
		p.t.Error("the server checks no invariants")
	}
	for _, row := range rows {
		if inv := row.(map[string]any); inv["count"].(float64) != 0 {
			p.t.Errorf("invariant %v is %v: %v", inv["name"], inv["count"], inv["description"])
		}
	}
}

// repeatAll sends every POST that was carried out again with its key: nothing happens, and
// the answer names what the first one named.
func (p *player) repeatAll() {
	p.t.Helper()
	for _, sent := range p.posts {
		if sent.answer == nil || sent.answer.Status >= 400 {
			continue // a refusal that changed nothing is not kept
		}
		r := p.try("POST", sent.path, sent.key, sent.body)
		if r.Header.Get("Idempotent-Replayed") != "true" {
			p.t.Errorf("POST %s again was not known: %d %s", sent.path, r.Status, r.Body)
		}
		for _, id := range []string{"id", "message.id", "session.id"} {
			if r.Status != sent.answer.Status || r.Str(id) != sent.answer.Str(id) {
				p.t.Errorf("POST %s again answers %d %s\nthe first time %d %s", sent.path, r.Status, r.Body, sent.answer.Status, sent.answer.Body)
				break
			}
		}
	}
}

// retell lists the sessions, records, data, approvals and outcomes. cut: also the kept parts of answers that were
// cut.
func (p *player) retell(cut bool) string {
	p.t.Helper()
	n := &renaming{ids: map[string]string{}, counts: map[string]int{}}
	for i, c := range slices.Concat(p.chats, p.agents()) {
		n.title(fmt.Sprintf("session %d", i+1))
		s := p.get(c.path(""))
		for _, field := range []string{"phase", "status", "end_reason", "holds_slot", "total_roundtrips", "waiting_context.kind"} {
			n.line(field, s.At(field))
		}
		for _, m := range p.get(c.path("/messages?limit=200")).List("data") {
			if (cut || m.(map[string]any)["status"] != "interrupted") && !(p.flaps && systemType(m) == "NETWORK_ERROR") {
				n.line("message", m)
			}
		}
		n.outcomes(p.log(c.path("/events?")))
	}
	n.title("data")
	for _, document := range p.get("/v1/documents").List("data") {
		n.line("document", document)
	}
	for _, zone := range p.get("/v1/zones").List("data") {
		n.line("zone", zone)
	}
	for _, tool := range p.get("/v1/tools").List("data") {
		n.line("tool", tool)
		for _, entry := range p.get("/v1/tools/" + tool.(map[string]any)["id"].(string) + "/entries").List("data") {
			n.line("entry", entry)
		}
	}
	for _, a := range p.get("/v1/automations").List("data") {
		a := a.(map[string]any)
		seed := p.get("/v1/automations/" + a["id"].(string) + "/seed")
		n.line("automation", []any{a["name"], seed.At("linear_text")})
	}
	n.title("approvals")
	approvals := p.get("/v1/approvals").List("data")
	sort.Slice(approvals, func(i, k int) bool {
		return approvals[i].(map[string]any)["id"].(string) < approvals[k].(map[string]any)["id"].(string)
	})
	for _, a := range approvals {
		n.line("approval", a)
	}
	p.retellAutomations(n)
	n.line("slot", p.get("/v1/slot").At("holder.id"))
	n.line("queue", len(p.get("/v1/queue").List("data")))
	return n.text.String()
}

// renaming makes texts comparable.
type renaming struct {
	text   strings.Builder
	ids    map[string]string
	counts map[string]int
}

func (n *renaming) title(text string) { fmt.Fprintf(&n.text, "-- %s\n", text) }

// outcomes are the executions as they ended, in the order of their planning.
func (n *renaming) outcomes(events []logRow) {
	last := map[string]any{}
	var order []string
	for _, e := range events {
		if !strings.HasPrefix(e.Type, "command.") {
			continue
		}
		var data struct{ Execution map[string]any }
		if json.Unmarshal(e.Data, &data) != nil {
			continue
		}
		id, _ := data.Execution["id"].(string)
		if _, known := last[id]; !known {
			order = append(order, id)
		}
		last[id] = data.Execution
	}
	for _, id := range order {
		n.line("outcome", last[id])
	}
}

var (
	anyID   = regexp.MustCompile(`\b[a-z]{2,4}_[0-9a-f]{32}\b`)
	anyHash = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z`)
	// passing is what differs from play to play.
	passing = []string{"seq", "timestamp", "created_at", "updated_at", "settled_at", "started_at", "ended_at", "digest", "version", "duration_ms"}
)

func (n *renaming) line(what string, value any) {
	b, err := json.Marshal(without(value))
	if err != nil {
		panic(err) // it came from JSON
	}
	text := anyID.ReplaceAllStringFunc(string(b), func(id string) string {
		if n.ids[id] == "" {
			kind, _, _ := strings.Cut(id, "_")
			n.counts[kind]++
			n.ids[id] = fmt.Sprintf("%s#%d", kind, n.counts[kind])
		}
		return n.ids[id]
	})
	text = anyHash.ReplaceAllString(text, "hash")
	fmt.Fprintf(&n.text, "%s: %s\n", what, anyTime.ReplaceAllStringFunc(text, func(at string) string {
		if strings.HasPrefix(at, "2026-01-") {
			return at // the play's own
		}
		return "T"
	}))
}

func without(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, inner := range v {
			at, _ := inner.(string)
			if !slices.Contains(passing, key) || strings.HasPrefix(at, "2026-01-") {
				kept[key] = without(inner)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = without(v[i])
		}
		return kept
	}
	return value
}

// difference shows the lines that only one of two texts has.
func difference(want, have string) string {
	a, b := strings.Split(want, "\n"), strings.Split(have, "\n")
	var out []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out = append(out, "+ "+line)
		}
	}
	if len(out) == 0 {
		return "the same lines in another order:\n" + want + "\n" + have
	}
	return strings.Join(out, "\n")
}

// systemType is what kind of message of the system it is.
func systemType(message any) any {
	system, _ := message.(map[string]any)["system_message"].(map[string]any)
	return system["type"]
}
