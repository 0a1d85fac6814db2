package responses

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/rounds/suite"
	"github.com/fermata-dev/fermata/stream"
)

// Ids of a session with one response, and of calls of its client's tools.
const (
	sessionID  = "ses_00000000000000000000000000000001"
	messageID  = "msg_00000000000000000000000000000002"
	answerID   = "msg_00000000000000000000000000000003"
	approvalID = "apr_00000000000000000000000000000004"
	roundID    = "rnd_00000000000000000000000000000005"
)

// world is a session in memory, with its log.
type world struct {
	rounds.Commands // what the tests do not use

	broker    *stream.Broker
	session   domain.Session
	messages  []*domain.Message
	approvals []*domain.Approval
	log       []*domain.LogEvent
	request   string   // metadata of the request
	did       []string // endings that were called
	failure   error    // of endings
}

// newWorld returns a session whose message was answered; the events of its round are in the log.
func newWorld(t *testing.T) *world {
	t.Helper()
	broker := stream.New(stream.Config{})
	if err := broker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := broker.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w := &world{broker: broker, request: `{"model":"fermata"}`, session: domain.Session{ID: sessionID, ExternalID: "mine", Phase: domain.Idle}}
	w.store(t, &domain.Message{
		ID: messageID, Sender: domain.SenderUser, Rich: &domain.RichContent{
			LinearText: "Hello", Segments: []domain.Segment{{Type: domain.SegmentText, Text: "Hello"}},
		},
	})
	w.enter(t, domain.CallingAI, domain.UserMessageSent{}.Name())
	w.store(t, &domain.Message{ID: answerID, Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: "Good day."}})
	w.enter(t, domain.Idle, domain.AIResponseReceived{}.Name())
	return w
}

func (w *world) publish(t *testing.T, e *domain.LogEvent) {
	t.Helper()
	e.Seq, e.SessionSeq, e.SessionID = int64(len(w.log)+1), int64(len(w.log)+1), sessionID
	if e.Message != nil {
		e.Message.Seq = e.Seq
	}
	w.session.LastSeq = e.Seq
	var err error
	if e.Data, err = api.EncodeEvent(e); err != nil {
		t.Fatal(err)
	}
	w.log = append(w.log, e)
}

func (w *world) store(t *testing.T, m *domain.Message) {
	t.Helper()
	m.SessionID, m.RoundID, m.Status, m.Timestamp = sessionID, roundID, domain.MessageStored, clock.System()
	w.messages = append(w.messages, m)
	w.publish(t, &domain.LogEvent{Type: domain.LogMessageCreated, Message: m})
}

func (w *world) enter(t *testing.T, phase domain.Phase, event string) {
	t.Helper()
	w.session.Phase = phase
	w.publish(t, &domain.LogEvent{Type: domain.LogSessionPhase, Phase: &domain.Transition{
		To: phase, Event: event, Status: w.session.Status(), RoundID: roundID, At: clock.System(),
	}})
}

// called lets the round wait for results of the client's tools, or have them.
func (w *world) called(t *testing.T, status domain.ApprovalStatus) {
	t.Helper()
	a := &domain.Approval{
		ID: approvalID, Kind: domain.ApprovalClientCalls, SessionID: sessionID, RoundID: roundID, Status: status,
		Actions: []domain.ApprovalAction{{ID: "c1", Command: "weather"}, {ID: "c2", Command: "time"}},
	}
	w.approvals = append(w.approvals, a)
	if status == domain.ApprovalStatusApproved {
		a.Decision = []byte(`{"request":{"model":"fermata/mine"}}`)
		from := &domain.Provenance{Origin: domain.OriginClient}
		w.store(t, &domain.Message{ID: domain.ClientResultsID(approvalID), Sender: domain.SenderSystem, System: &domain.SystemMessage{
			Type: domain.SystemDataAdded, CommandResults: []domain.CommandResult{{Text: "sunny", From: from}, {Text: "noon", From: from}},
		}})
	}
}

func (w *world) config() Config {
	return Config{Requests: w, Endings: w, Config: openai.Config{PublicURL: "https://fermata.example", Providers: offered{}, Config: rounds.Config{
		Commands: w, Record: w, Approvals: w, Histories: w, Names: rounds.NewSessionNames(clock.System), Clock: clock.System,
		Follow: func(f stream.Filter) *stream.Reader { return w.broker.Reader(w, f) },
		API:    rounds.API{Failure: suite.Failure},
	}}}
}

// serve returns the response of an endpoint; of an error, its code and pointer.
func serve(t *testing.T, door interface {
	Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error
}, method, id, query, body string,
) string {
	t.Helper()
	out := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), method, "/v1/responses/"+id+query, http.NoBody)
	r.SetPathValue(pathResponse, id)
	if err := door.Serve(out, r, suite.Caller, []byte(body)); err != nil {
		return strings.TrimSpace(string(domain.ErrorCode(err)) + " " + pointerOf(err))
	}
	return out.Body.String()
}

// pointerOf returns the JSON pointer of a rejected value; "" for none.
func pointerOf(err error) string {
	if invalid, ok := errors.AsType[*domain.Error](err); ok && len(invalid.Fields) == 1 {
		return invalid.Fields[0].Pointer
	}
	return ""
}

func (w *world) Session(_ context.Context, _, id string) (*domain.Session, error) {
	if id != sessionID {
		return nil, domain.NotFound("session")
	}
	copied := w.session
	return &copied, nil
}

func (w *world) SessionByExternalID(context.Context, string, string) (*domain.Session, error) {
	return nil, domain.NotFound("session")
}

func (w *world) Workspace(context.Context, string) (*domain.Workspace, error) {
	return &domain.Workspace{Settings: domain.DefaultSettings()}, nil
}

func (w *world) Message(_ context.Context, _, _, id string) (*domain.Message, error) {
	for _, m := range w.messages {
		if m.ID == id {
			return m, nil
		}
	}
	return nil, domain.NotFound("message")
}

func (w *world) Messages(context.Context, string, string, int64, int) ([]*domain.Message, error) {
	return w.messages, nil
}

func (w *world) MessagePage(context.Context, *domain.Session, string, int, bool) ([]*domain.Message, string, error) {
	return w.messages, "", nil
}

func (w *world) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	for _, a := range w.approvals {
		if a.ID == id {
			return a, nil
		}
	}
	return nil, domain.NotFound("approval")
}

func (w *world) Approvals(context.Context, string, domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	return w.approvals, "", nil
}

func (w *world) KnownHistories(context.Context, string, [2]string) ([]domain.KnownHistory, error) {
	return nil, nil
}

func (w *world) RequestOf(context.Context, string, string, string) (string, error) {
	return w.request, nil
}

func (w *world) SessionOf(_ context.Context, _, message string) (string, error) {
	if message == answerID {
		return sessionID, nil
	}
	return "", nil
}

func (w *world) InterruptSession(context.Context, string, string, domain.Author) (*domain.Receipt, error) {
	w.did = append(w.did, "interrupted")
	return &domain.Receipt{}, w.failure
}

func (w *world) WithdrawMessage(context.Context, string, string, string) (*domain.Receipt, error) {
	w.did = append(w.did, "withdrawn")
	return &domain.Receipt{}, w.failure
}

func (w *world) DeleteSession(context.Context, string, string) error {
	w.did = append(w.did, "deleted")
	return w.failure
}

// Events implements stream.Log.
func (w *world) Events(_ context.Context, _, _ string, after int64, _ domain.PageSize) (out []*domain.LogEvent, more bool, err error) {
	return w.log[min(after, int64(len(w.log))):], false, nil
}

// EventBounds implements stream.Log.
func (w *world) EventBounds(context.Context, string) (oldest, newest int64, err error) {
	return 1, int64(len(w.log)), nil
}
