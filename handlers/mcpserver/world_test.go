//go:build conformance

package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/rounds"
)

var theClock = clock.System

// fakeWorld has runs that take their time, for the fixtures. They are read, stopped and
// answered through the door's own ports.
type fakeWorld struct {
	mu   sync.Mutex
	runs map[string]*slow
}

// slow is such a run: it ends at its time, once nothing is open.
type slow struct {
	id, text string
	began    time.Time
	ends     time.Time
	why      domain.EndReason
	open     []*domain.Approval
}

func (s *slow) ask(name string) {
	s.open = append(s.open, &domain.Approval{
		ID: "apr_" + s.id + name, SessionID: s.id, Kind: domain.ApprovalQuestion, Status: domain.ApprovalStatusOpen, Text: "Sure?",
		ResponseSchema: json.RawMessage(`{"type":"object","properties":{"confirm":{"type":"boolean"},"name":{"type":"string"}}}`),
	})
}

func (w *fakeWorld) begin(how func(*slow)) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &slow{id: fmt.Sprintf("run_%d", len(w.runs)), text: "It is done.", why: domain.EndCompleted, began: theClock(), ends: theClock()}
	how(s)
	w.runs[s.id] = s
	return s.id
}

func (w *fakeWorld) find(id string) (*slow, error) {
	if s := w.runs[id]; s != nil {
		return s, nil
	}
	return nil, domain.NotFound("session")
}

func (w *fakeWorld) Session(_ context.Context, _, id string) (*domain.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.find(id)
	if err != nil {
		return nil, err
	}
	out := &domain.Session{ID: id, Type: domain.Run, Phase: domain.CallingAI, CreatedAt: s.began, UpdatedAt: s.began}
	switch {
	case len(s.open) > 0 && s.why != domain.EndCancelled:
		out.Phase = domain.WaitingCommunicationResponse
	case !theClock().Before(s.ends):
		out.Phase, out.EndReason = domain.Completed, s.why
	}
	return out, nil
}

func (w *fakeWorld) MessagePage(_ context.Context, session *domain.Session, _ string, _ int, _ bool) ([]*domain.Message, string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.find(session.ID)
	if err != nil {
		return nil, "", err
	}
	return []*domain.Message{{Sender: domain.SenderAI, Text: s.text}}, "", nil
}

func (w *fakeWorld) Workspace(context.Context, string) (*domain.Workspace, error) {
	settings := domain.DefaultSettings()
	settings.MCPAnswers = true
	return &domain.Workspace{ID: "default", Settings: settings}, nil
}

func (w *fakeWorld) Sessions(context.Context, string, domain.SessionFilter) ([]*domain.Session, string, error) {
	return nil, "", nil
}

func (w *fakeWorld) SessionByExternalID(context.Context, string, string) (*domain.Session, error) {
	return nil, domain.NotFound("session")
}

func (w *fakeWorld) Message(context.Context, string, string, string) (*domain.Message, error) {
	return nil, domain.NotFound("message")
}

func (w *fakeWorld) Messages(context.Context, string, string, int64, int) ([]*domain.Message, error) {
	return nil, nil
}

func (w *fakeWorld) Approval(_ context.Context, _, id string) (*domain.Approval, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.runs {
		for _, a := range s.open {
			if a.ID == id {
				return a, nil
			}
		}
	}
	return nil, domain.NotFound("approval")
}

func (w *fakeWorld) Approvals(_ context.Context, _ string, f domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.find(f.SessionID)
	if err != nil {
		return nil, "", err
	}
	return append([]*domain.Approval(nil), s.open...), "", nil
}

// AnswerApproval takes what was asked off the list.
func (w *fakeWorld) AnswerApproval(_ context.Context, _, approval string, _ domain.Decision) (*domain.Receipt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.runs {
		for i, a := range s.open {
			if a.ID == approval {
				s.open = append(s.open[:i:i], s.open[i+1:]...)
				return &domain.Receipt{}, nil
			}
		}
	}
	return nil, domain.NotFound("approval")
}

func (w *fakeWorld) StopSession(_ context.Context, _, session string, _ domain.Author) (*domain.Receipt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.find(session)
	if err == nil {
		s.why, s.ends, s.open = domain.EndCancelled, theClock(), nil
	}
	return &domain.Receipt{}, err
}

// fakeDoor does not do what no fixture asks for.
type fakeDoor struct {
	rounds.Commands
	Runs
	*fakeWorld
}

func (f fakeDoor) StopSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error) {
	return f.fakeWorld.StopSession(ctx, ws, session, by)
}

func (f fakeDoor) AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error) {
	return f.fakeWorld.AnswerApproval(ctx, ws, approval, d)
}

// oneDocument is a workspace that has published one.
type oneDocument struct{}

func (oneDocument) Documents(context.Context, string, string, int) ([]userdata.Document, string, error) {
	d, err := oneDocument{}.Document(context.Background(), "", "doc_1")
	return []userdata.Document{*d}, "", err
}

func (oneDocument) Document(_ context.Context, _, id string) (*userdata.Document, error) {
	if id != "doc_1" {
		return nil, domain.NotFound("document")
	}
	at := theClock()
	return &userdata.Document{ID: id, Key: "hours", DocumentFields: userdata.DocumentFields{Title: "Hours"}, Published: "Open until six.", PublishedAt: &at}, nil
}
