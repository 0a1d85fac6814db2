package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/seal"
)

// memory is a database with one workspace and one webhook.
type memory struct {
	mu         sync.Mutex
	hook       outside.Webhook
	owned      bool
	events     []*domain.LogEvent
	pruned     int64
	lanes      map[string]outside.WebhookLane
	deliveries map[int64]outside.WebhookDelivery
	notices    []domain.Notice
	writes     int
	reads      int
	failing    error
}

func (m *memory) LookAtWebhooks(context.Context, time.Time) (*outside.WebhookLook, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	look := &outside.WebhookLook{}
	if m.hook.Enabled {
		ref := outside.WebhookRef{WorkspaceID: m.hook.WorkspaceID, ID: m.hook.ID}
		look.Enabled, look.Behind = []outside.WebhookRef{ref}, []outside.WebhookRef{ref}
		if m.hook.Kind == outside.WebhookPush {
			look.People = look.Enabled
		}
	}
	return look, nil
}

func (m *memory) StandingOf(context.Context, outside.WebhookRef) (*outside.WebhookStanding, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	return &outside.WebhookStanding{
		Webhook: m.hook, Mine: m.owned, OwnerAlive: m.owned, Newest: int64(len(m.events)), PrunedTo: m.pruned,
	}, m.failing
}

func (m *memory) ClaimWebhook(_ context.Context, h *outside.WebhookStanding) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owned = true
	m.hook.Epoch++
	h.Epoch, h.Mine = m.hook.Epoch, true
	return nil
}

func (m *memory) WebhookLanes(context.Context, outside.WebhookRef) (out []outside.WebhookLane, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.lanes {
		out = append(out, l)
	}
	return out, nil
}

func (m *memory) EventsOfTypes(_ context.Context, _ string, session *string, types []domain.LogType, after, to int64, size domain.PageSize) (
	out []*domain.LogEvent, scanned int64, err error,
) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events[after:to] {
		if e.Seq > m.pruned && (session == nil || e.SessionID == *session) && slices.Contains(types, e.Type) {
			if len(out) == size.Rows {
				return out, out[len(out)-1].Seq, nil
			}
			out = append(out, e)
		}
	}
	return out, to, nil
}

func (m *memory) RecordWebhook(_ context.Context, h *outside.Webhook, p *outside.WebhookProgress) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing != nil {
		return m.failing
	}
	if h.Epoch != m.hook.Epoch || !m.hook.Enabled {
		return domain.ErrStale
	}
	m.writes++
	m.hook.SentTo, m.hook.FailingSince, m.hook.PausedUntil = p.SentTo, p.FailingSince, p.PausedUntil
	for _, l := range p.Lanes {
		m.lanes[l.SessionID] = l
	}
	for _, session := range p.CaughtUp {
		delete(m.lanes, session)
	}
	for _, d := range p.Deliveries {
		m.deliveries[d.Seq] = d
	}
	return nil
}

func (m *memory) DisableWebhook(ctx context.Context, h *outside.Webhook, p *outside.WebhookProgress, reason outside.WebhookReason, notice domain.Notice) error {
	if err := m.RecordWebhook(ctx, h, p); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hook.Enabled, m.hook.DisabledReason = false, reason
	m.hook.Epoch++
	m.notices = append(m.notices, notice)
	return nil
}

func (m *memory) Workspace(context.Context, string) (*domain.Workspace, error) {
	return &domain.Workspace{ID: "default", Settings: domain.DefaultSettings()}, nil
}

// receiver answers requests without a network.
type receiver struct {
	t      *testing.T
	secret string
	mu     sync.Mutex
	tries  []try // all
	got    map[string][]int64
	answer func(t try) (status int, header http.Header, err error)
}

type try struct {
	seq     int64
	session string
	at      time.Time
}

func (r *receiver) RoundTrip(request *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	if err := auth.VerifyWebhook(request.Header, text, time.Now(), r.secret); err != nil {
		r.t.Errorf("a message that does not verify: %v", err)
	}
	var m struct {
		Seq  int64
		Data struct{ Session string }
	}
	if err := json.Unmarshal(text, &m); err != nil {
		r.t.Errorf("no JSON: %s", text)
	}
	this := try{m.Seq, m.Data.Session, time.Now()}
	r.mu.Lock()
	r.tries = append(r.tries, this)
	answer := r.answer
	r.mu.Unlock()
	status, header, err := http.StatusNoContent, http.Header(nil), error(nil)
	if answer != nil {
		status, header, err = answer(this)
	}
	if status == 0 { // it hangs
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	if status < 300 {
		r.mu.Lock()
		r.got[this.session] = append(r.got[this.session], this.seq)
		r.mu.Unlock()
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(nil)), Request: request}, nil
}

// times are when a number was tried.
func (r *receiver) times(seq int64) (out []time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tries {
		if t.seq == seq {
			out = append(out, t.at)
		}
	}
	return out
}

// came is how many events of a session were taken.
func (r *receiver) came(session string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got[session])
}

// bench is a loop over both.
type bench struct {
	*memory
	*receiver
	loop *Loop
	t    *testing.T
}

func newBench(t *testing.T, answer func(try) (int, http.Header, error)) *bench {
	keys, err := seal.New([][]byte{bytes.Repeat([]byte("k"), 32)})
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{
		hook:  outside.Webhook{ID: "whk_1", WorkspaceID: "default", URL: "https://receiver.example", Types: []domain.LogType{domain.LogNotice}, Enabled: true},
		lanes: map[string]outside.WebhookLane{}, deliveries: map[int64]outside.WebhookDelivery{},
	}
	r := &receiver{t: t, got: map[string][]int64{}, answer: answer}
	if r.secret, err = (Secrets{keys}).make(&m.hook); err != nil {
		t.Fatal(err)
	}
	b := &bench{memory: m, receiver: r, t: t}
	b.loop = b.newLoop(keys)
	return b
}

func (b *bench) newLoop(keys *seal.Keys) *Loop {
	return NewLoop(Config{
		Store: b.memory, Workspaces: b.memory, Secrets: Secrets{keys}, Client: &http.Client{Transport: b.receiver},
		Policy: egress.Policy{Private: egress.Open}, Agent: "fermata/test", Clock: clock.System, Log: zerolog.Nop(),
	})
}

// happen adds an event of each session to the log, and wakes the loop.
func (b *bench) happen(kind domain.LogType, sessions ...string) {
	b.memory.mu.Lock()
	for _, s := range sessions {
		b.events = append(b.events, &domain.LogEvent{
			Seq: int64(len(b.events)) + 1, WorkspaceID: "default", SessionID: s, Type: kind, At: time.Now(), Data: fmt.Appendf(nil, `{"session":%q}`, s),
		})
	}
	b.memory.mu.Unlock()
	b.loop.Committed(&domain.Change{WorkspaceID: "default", Events: b.events[len(b.events)-1:]})
}
