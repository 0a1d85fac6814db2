package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit"
	"github.com/fermata-dev/fermata/stream"
)

var worldTime = time.Date(2026, 3, 2, 12, 0, 0, 123456000, time.UTC)

// world is everything behind the handlers, in memory: one workspace with one of each.
// Its answers are plain; what it was asked is kept in said.
type world struct {
	newID    domain.IDSource
	said     []any
	sessions map[string]*domain.Session
	messages []*domain.Message
	events   []*domain.LogEvent
	oldest   int64 // the log is whole from there on; 0: from its start
	approval *domain.Approval
	zones    []domain.Zone
	tools    []domain.Tool
	types    []domain.ToolType
	entries  []domain.Entry
	docs     []domain.Document
	provs    []*domain.Provider
	autos    []domain.Automation
	keys     []*domain.Key
	spaces   []*domain.Workspace
	fault    error // what the next call fails with
}

func newWorld() *world {
	at := worldTime
	w := &world{newID: ids.Counting(), sessions: map[string]*domain.Session{}}
	for id, ws := range map[string]string{"ses_1": domain.DefaultWorkspace, "ses_far": "acme"} {
		w.sessions[id] = &domain.Session{ID: id, WorkspaceID: ws, Type: domain.Chat, Name: "Running", Phase: domain.WaitingValidation, HoldsSlot: true, LastSeq: 7,
			State:     domain.SessionState{RoundID: "rnd_1", Waiting: &domain.WaitingContext{Kind: domain.WaitValidation, ApprovalID: "apr_1", At: at}},
			CreatedAt: at, UpdatedAt: at, LastEventTime: at, Budgets: domain.Budgets{MaxTokensPerRound: new(int64)}}
	}
	w.messages = []*domain.Message{
		{ID: "msg_1", SessionID: "ses_1", Seq: 2, Timestamp: at, Sender: domain.SenderUser, Status: domain.MessageStored, Rich: &domain.RichContent{LinearText: "hello", Segments: []domain.Segment{{Type: "text", Text: "hello"}}}},
		{ID: "msg_2", SessionID: "ses_1", Seq: 5, Timestamp: at, Sender: domain.SenderAI, Status: domain.MessageStored, AI: &domain.AIMessage{PreText: "hi"}, Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "hi"}},
		{ID: "msg_3", SessionID: "ses_1", Timestamp: at, Sender: domain.SenderUser, Status: domain.MessageQueued, Rich: &domain.RichContent{LinearText: "more", Segments: []domain.Segment{{Type: "text", Text: "more"}}}},
		{ID: "msg_4", SessionID: "ses_1", Timestamp: at, Sender: domain.SenderUser, Status: domain.MessageQueued, Rich: &domain.RichContent{LinearText: "still", Segments: []domain.Segment{{Type: "text", Text: "still"}}}},
	}
	w.approval = &domain.Approval{ID: "apr_1", WorkspaceID: domain.DefaultWorkspace, SessionID: "ses_1", Kind: domain.ApprovalActions, Status: domain.ApprovalStatusOpen, CreatedAt: at,
		Reasons: []domain.ApprovalReason{{Level: domain.LevelZone, ID: "zon_1", Text: "Health asks"}},
		Actions: []domain.ApprovalAction{{ID: "exe_1", Command: "CREATE_ZONE", Params: json.RawMessage(`{"name":"x"}`), Text: "Create the zone x", Digest: "d"}}}
	w.zones = []domain.Zone{{ID: "zon_1", Name: "Health", Version: 3, CreatedAt: at, UpdatedAt: at}, {ID: "zon_2", Name: "Work", Version: 1, CreatedAt: at, UpdatedAt: at}, {ID: "zon_3", Name: "Home", Version: 1, CreatedAt: at, UpdatedAt: at}}
	w.tools = []domain.Tool{{ID: "tol_1", ZoneID: "zon_1", ToolType: "tracking", Name: "Running", Config: json.RawMessage(`{"unit":"km"}`), Version: 1, CreatedAt: at, UpdatedAt: at}}
	w.types = []domain.ToolType{{ID: "tracking", Name: "Tracking", ConfigSchema: json.RawMessage(`{"type":"object"}`), EntrySchema: json.RawMessage(`true`), BuiltIn: true}}
	w.entries = []domain.Entry{{ID: "ent_1", ToolID: "tol_1", Timestamp: at, Data: json.RawMessage(`{"value":8}`), Version: 1, SessionID: "ses_1", CreatedAt: at, UpdatedAt: at}}
	w.docs = []domain.Document{{ID: "doc_1", Key: "me", Title: "Me", Body: "draft", Version: 2, CreatedAt: at, UpdatedAt: at}}
	w.provs = []*domain.Provider{{ID: "prv_1", Name: "Local", Kind: "openai_compatible", Config: json.RawMessage(`{"model":"m"}`), SecretMask: "sk-…abcd", IsDefault: true, Version: 1, CreatedAt: at, UpdatedAt: at}}
	w.autos = []domain.Automation{theAutomation()}
	w.keys = []*domain.Key{{ID: "key_1", Name: "laptop", Role: domain.RoleMember, Prefix: "fmt_ab", CreatedAt: at, LastUsedAt: &at}}
	w.spaces = []*domain.Workspace{{ID: domain.DefaultWorkspace, Name: "Default", Settings: domain.DefaultSettings(), CreatedAt: at}}
	for i, e := range []*domain.LogEvent{
		{Type: domain.LogSessionCreated, SessionID: "ses_1", Session: w.sessions["ses_1"]},
		{Type: domain.LogMessageCreated, SessionID: "ses_1", Message: w.messages[0]},
		{Type: domain.LogDataChanged, Change: &domain.DataChange{Noun: "zone", ID: "zon_1", Operation: "created"}},
	} {
		e.Seq, e.At = int64(i+1), at
		if e.SessionID != "" {
			e.SessionSeq = e.Seq
		}
		e.Data, _ = api.EncodeEvent(e) // a wrong one fails the contract
		w.events = append(w.events, e)
	}
	return w
}

// told notes what the world was asked, and gives the fault that was set, once.
func (w *world) told(asked any) error {
	w.said = append(w.said, asked)
	fault := w.fault
	w.fault = nil
	return fault
}

// last is what the world was asked last.
func (w *world) last() any {
	if len(w.said) == 0 {
		return nil
	}
	return w.said[len(w.said)-1]
}

// serve runs the whole API over the world, and gives a client whose every exchange is held to the
// contract.
func (w *world) serve(t *testing.T) *testClient {
	t.Helper()
	return w.serveWith(t, RateLimits{PerSecond: 1e6, Burst: 1e6, FailuresPerSecond: 1e6, FailuresBurst: 1e6, HooksPerSecond: 1e6, HooksBurst: 1e6})
}

// serveWith is serve where it matters how often who may call.
func (w *world) serveWith(t *testing.T, limits RateLimits) *testClient {
	t.Helper()
	broker := stream.New(stream.Config{})
	if err := broker.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(New(Config{
		Edge: Edge{
			Tickets: &keptTickets{}, Auth: roleAuth{}, Idempotency: newKeptRequests(), Log: zerolog.Nop(),
			Clock: clock.Fixed(worldTime.Add(time.Minute)), RateLimits: limits,
		},
		Process: Process{
			Version: VersionInfo{Version: "1.2.3", Commit: "abc", BuiltAt: "2026-03-02T12:00:00Z"}, Health: w, Admin: w,
			MetricsPage: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				_, _ = w.Write([]byte("up 1\n"))
			}),
		},
		Door:        Door{Sessions: w, Steering: w, Messages: w, Answers: w},
		Reads:       Reads{SessionReader: w, WorkspaceReader: w, Record: w},
		Streams:     broker,
		Automations: AutomationPorts{Automations: w, Runs: w, Seeds: w, Grants: w, Schedules: w},
		Data: DataPorts{
			Zones: w, Tools: w, ToolTypes: w, Entries: w, EntryFiles: w, Documents: w, Versions: w, Undo: w, Periods: w, Search: w,
		},
		Catalogue: CataloguePorts{RichText: w, Catalogue: w, Chunks: worldChunks},
		Providers: ProviderPorts{Providers: w, ProviderProbe: w},
		Settings:  SettingsPorts{Settings: w, Keys: w, Workspaces: w},
		Web: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<p>page"))
		}),
	}))
	t.Cleanup(func() {
		broker.Drain()
		srv.Close()
		if err := broker.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	contract := testkit.Contract(t, srv.URL)
	return &testClient{t: t, url: srv.URL, contract: contract, http: &http.Client{Transport: contract}}
}

// roleAuth takes the name of a role as a bearer token.
type roleAuth struct{}

func (roleAuth) Authenticate(r *http.Request) (*auth.Identity, error) {
	role := domain.Role(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if !domain.RoleRoot.Allows(role) {
		return nil, domain.Errorf(domain.CodeUnauthenticated, "Who are you?")
	}
	return &auth.Identity{Workspace: domain.DefaultWorkspace, Role: role, Name: "key_" + string(role)}, nil
}
func (roleAuth) Still(context.Context, *auth.Identity) error { return nil }
func (roleAuth) Changed()                                    {}
func (roleAuth) Redeemed(*http.Request, *auth.Identity) error {
	return nil
}
func (roleAuth) LocalPeer(r *http.Request) bool { return r.Header.Get("Authorization") == "" }

func (w *world) session(ws, id string) (*domain.Session, error) {
	if s := w.sessions[id]; s != nil && s.WorkspaceID == ws {
		return s, nil
	}
	return nil, domain.NotFound("session")
}

func (w *world) receipt(ws, id string, asked any) (*domain.Receipt, error) {
	if err := w.told(asked); err != nil {
		return nil, err
	}
	s, err := w.session(ws, id)
	if err != nil {
		return nil, err
	}
	return &domain.Receipt{Session: s, Seq: s.LastSeq}, nil
}

func (w *world) Ping(context.Context) error { return w.told("ping") }

func (w *world) CreateSession(_ context.Context, ws string, in domain.NewSession) (*domain.Receipt, error) {
	receipt, err := w.receipt(ws, "ses_1", in)
	if err == nil {
		receipt.Created = in.ExternalID != "known"
	}
	return receipt, err
}

func (w *world) UpdateSession(_ context.Context, ws, id string, patch domain.SessionPatch) (*domain.Receipt, error) {
	receipt, err := w.receipt(ws, id, patch)
	if err == nil {
		patch.Apply(receipt.Session)
	}
	return receipt, err
}

func (w *world) DeleteSession(_ context.Context, ws, id string) error {
	_, err := w.receipt(ws, id, "delete "+id)
	return err
}

func (w *world) ActivateSession(_ context.Context, ws, id string) (*domain.Receipt, error) {
	receipt, err := w.receipt(ws, id, "activate "+id)
	if err == nil {
		receipt.Result, receipt.Position = domain.Queued, 1
	}
	return receipt, err
}

func (w *world) InterruptSession(_ context.Context, ws, id string, by domain.Author) (*domain.Receipt, error) {
	return w.receipt(ws, id, "interrupt by "+by.ID)
}

func (w *world) RetrySession(_ context.Context, ws, id string, by domain.Author) (*domain.Receipt, error) {
	return w.receipt(ws, id, "retry by "+by.ID)
}

func (w *world) ResumeSession(_ context.Context, ws, id string, by domain.Author) (*domain.Receipt, error) {
	return w.receipt(ws, id, "resume by "+by.ID)
}

func (w *world) StopSession(_ context.Context, ws, id string, by domain.Author) (*domain.Receipt, error) {
	receipt, err := w.receipt(ws, id, "stop by "+by.ID)
	if err == nil {
		receipt.Calls = []domain.StoppedCall{{ExecutionID: "exe_1", Command: "CREATE_ZONE", Outcome: "not_started"}}
	}
	return receipt, err
}

func (w *world) ReleaseSlot(_ context.Context, ws, id string, by domain.Author) (*domain.Receipt, error) {
	return w.receipt(ws, id, "release by "+by.ID)
}

func (w *world) LeaveQueue(_ context.Context, ws, id string) (*domain.Receipt, error) {
	return w.receipt(ws, id, "leave "+id)
}

func (w *world) SendMessage(_ context.Context, ws, id string, in domain.NewMessage) (*domain.Receipt, error) {
	receipt, err := w.receipt(ws, id, in)
	if err == nil {
		receipt.Message = w.messages[0]
	}
	return receipt, err
}

func (w *world) EditMessage(_ context.Context, ws, id, message string, rich domain.RichContent, _ domain.Author) (*domain.Receipt, error) {
	receipt, err := w.receipt(ws, id, rich)
	if err == nil && message != "msg_3" {
		return nil, domain.NotFound("message")
	}
	if err == nil {
		receipt.Message = w.messages[2]
	}
	return receipt, err
}

func (w *world) WithdrawMessage(_ context.Context, ws, id, message string) (*domain.Receipt, error) {
	if message != "msg_3" {
		return nil, domain.NotFound("message")
	}
	return w.receipt(ws, id, "withdraw "+message)
}

func (w *world) ResumeValidation(_ context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error) {
	return w.decided(ws, id, d)
}

func (w *world) ResumeResponse(_ context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error) {
	return w.decided(ws, id, d)
}

func (w *world) ConfirmCompletion(_ context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error) {
	return w.receipt(ws, id, d)
}

func (w *world) AnswerApproval(_ context.Context, ws, _ string, d domain.Decision) (*domain.Receipt, error) {
	return w.decided(ws, "ses_1", d)
}

func (w *world) decided(ws, id string, d domain.Decision) (*domain.Receipt, error) {
	receipt, err := w.receipt(ws, id, d)
	if err == nil {
		receipt.Approval = w.approval
	}
	return receipt, err
}

func (w *world) Session(_ context.Context, ws, id string) (*domain.Session, error) {
	return w.session(ws, id)
}

func (w *world) Sessions(_ context.Context, _ string, f domain.SessionFilter) ([]*domain.Session, string, error) {
	return []*domain.Session{w.sessions["ses_1"]}, "more", w.told(f)
}

// MessagePage pages by how many came before: what a cursor says is the store's affair.
func (w *world) MessagePage(_ context.Context, _, _, cursor string, limit int, latest bool) ([]*domain.Message, string, error) {
	all := slices.Clone(w.messages)
	if latest {
		slices.Reverse(all)
	}
	from, err := strconv.Atoi(cmp.Or(cursor, "0"))
	if err != nil || from < 0 {
		return nil, "", domain.Invalid("/after", "bad_cursor", "No cursor.")
	}
	all = all[min(from, len(all)):]
	if len(all) <= limit {
		return all, "", nil
	}
	return all[:limit], strconv.Itoa(from + limit), nil
}

func (w *world) Message(_ context.Context, _, _, id string) (*domain.Message, error) {
	for _, m := range w.messages {
		if m.ID == id {
			return m, nil
		}
	}
	return nil, domain.NotFound("message")
}

func (w *world) Events(_ context.Context, _, session string, after int64, size domain.PageSize) (out []*domain.LogEvent, more bool, err error) {
	for _, e := range w.events {
		if e.Seq > after && (session == "" || e.SessionID == session) {
			if len(out) == size.Rows {
				return out, true, nil
			}
			out = append(out, e)
		}
	}
	return out, false, nil
}

func (w *world) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	return max(w.oldest, 1), w.events[len(w.events)-1].Seq, nil
}

func (w *world) SessionEventBounds(ctx context.Context, ws, _ string) (oldest, newest int64, err error) {
	return w.EventBounds(ctx, ws)
}

func (w *world) Slot(context.Context, string) (*domain.SlotState, error) {
	return &domain.SlotState{Holder: w.sessions["ses_1"], Since: &worldTime}, nil
}

func (w *world) Queue(context.Context, string) ([]domain.QueueRow, error) {
	return []domain.QueueRow{{SessionID: "ses_1", Position: 1, Trigger: "USER", Reason: "USER_MESSAGE", Since: worldTime, Session: w.sessions["ses_1"]}}, nil
}

func (w *world) Approvals(_ context.Context, _ string, f domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	return []*domain.Approval{w.approval}, "", w.told(f)
}

func (w *world) Approval(_ context.Context, ws, id string) (*domain.Approval, error) {
	if id != w.approval.ID || ws != w.approval.WorkspaceID {
		return nil, domain.NotFound("approval")
	}
	return w.approval, nil
}

func (w *world) Resolve(_ context.Context, _ string, segments []domain.Segment) (*domain.RichContent, error) {
	if err := w.told(segments); err != nil {
		return nil, err
	}
	return &domain.RichContent{Segments: segments, LinearText: "…", Commands: []domain.Command{{ID: "c", Type: "ZONES", Params: json.RawMessage(`{}`)}}}, nil
}

func (w *world) Commands(context.Context, string) ([]domain.CommandSpec, error) {
	return []domain.CommandSpec{{Name: "ZONES", Kind: domain.KindQuery, Role: domain.RoleViewer, Effect: domain.EffectRead, Source: "builtin", Description: "Lists zones.", Params: json.RawMessage(`{"type":"object"}`), Timeout: 10 * time.Second}}, nil
}

func (w *world) PreviewSchedule(_ context.Context, _ string, s domain.Schedule, after time.Time, count int) (*domain.SchedulePreview, error) {
	if s.Expression == "refused" {
		return nil, domain.Invalid("/expression", "cron", "That is no cron.")
	}
	preview := &domain.SchedulePreview{Description: s.Type + " " + s.Expression + " " + s.TimeZone + " " + s.StartsAt}
	for i := range count {
		preview.Next = append(preview.Next, domain.PlannedRun{At: after.Add(time.Duration(i+1) * time.Hour), Local: "2026-03-29T03:30:00+02:00", Note: strings.Repeat("!", i)})
	}
	return preview, nil
}

func (w *world) Kinds() []domain.ProviderKind {
	return []domain.ProviderKind{{Name: "demo", DisplayName: "Demo", ConfigSchema: json.RawMessage(`{}`)}}
}

func (w *world) TestProvider(_ context.Context, _, id string) (*domain.ProviderTest, error) {
	if id != "prv_1" {
		return nil, domain.NotFound("provider")
	}
	return &domain.ProviderTest{OK: false, Latency: time.Second, Code: "provider_authentication", Message: "wrong key", Meaning: "The key was refused.", Mend: "Set another."}, w.told("test")
}

func (w *world) ProviderModels(_ context.Context, _, id string) ([]string, error) {
	if id != "prv_1" {
		return nil, domain.NotFound("provider")
	}
	return []string{"m"}, nil
}

func worldChunks() []domain.Chunk {
	return []domain.Chunk{
		{Name: "role", Importance: 1, Text: "You are here."},
		{Name: "style-chat", Importance: 3, Types: []domain.SessionType{domain.Chat}, Protocols: []domain.Protocol{domain.ProtocolNative}, Text: "Be short."},
	}
}

func (w *world) Invariants(context.Context, string) ([]domain.Invariant, error) {
	return []domain.Invariant{{Name: "two_holders", Description: "Workspaces with two holders of the slot."}}, nil
}

func (w *world) Status(_ context.Context, _ string, whole bool) (*Status, error) {
	return &Status{Sessions: map[bool]int{false: 1, true: 5}[whole],
		Node: "a", Incarnation: "b", StartedAt: worldTime, Database: "sqlite", LeaseUntil: &worldTime,
		Nodes: []domain.Node{{ID: "a", Incarnation: "b", LeaseUntil: worldTime, Alive: true, Sessions: 1}}, Breakers: []Breaker{
			{ProviderID: "prv_1", Model: "m", State: "open", Failures: 5, Until: worldTime, LastError: "no route"}, {State: "closed", Failures: 1},
		}}, nil
}

// find is the place of the item with this id, or -1.
func find[T any](items []T, is func(T) bool) int { return slices.IndexFunc(items, is) }
