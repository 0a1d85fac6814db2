package servertest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers"
	"github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/handlers/sessions"
	userdataapi "github.com/fermata-dev/fermata/handlers/userdata"
)

// seen notes what the handlers ask of the rest of the server, on its way there.
type seen struct {
	mu    sync.Mutex
	asked []any
}

func (s *seen) note(asked any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, asked)
}

// Count is how much was asked.
func (s *seen) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// Last is what was asked last.
func (s *seen) Last() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		return nil
	}
	return s.asked[len(s.asked)-1]
}

// watch wraps the ports that receive a person's input, a filter or a decision. Every call is passed on unchanged.
func (s *seen) watch(c *handlers.Config) {
	d := &c.Sessions
	d.Sessions, d.Messages, d.Answers = sessionsSeen{d.Sessions, s}, messagesSeen{d.Messages, s}, answersSeen{d.Answers, s}
	d.SessionReader, d.WorkspaceReader, d.Record = readsSeen{d.SessionReader, s}, listsSeen{d.WorkspaceReader, s}, recordSeen{d.Record, s}
	c.UserData.Entries, c.UserData.Search = entriesSeen{c.UserData.Entries, s}, searchSeen{c.UserData.Search, s}
	c.People.Settings.Keys, c.Automations.Runs = keysSeen{c.People.Settings.Keys, s}, runsSeen{c.Automations.Runs, s}
}

// An interface under another name can be embedded beside a method of its own name.
type (
	sessionsPort = sessions.Sessions
	messagesPort = sessions.Messages
	answersPort  = sessions.Answers
	readsPort    = sessions.SessionReader
	listsPort    = sessions.WorkspaceReader
	recordPort   = sessions.Record
	entriesPort  = userdataapi.Entries
	searchPort   = userdataapi.Search
	keysPort     = people.Keys
	runsPort     = automations.Runs
)

type sessionsSeen struct {
	sessionsPort
	*seen
}

func (s sessionsSeen) CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error) {
	s.note(in)
	return s.sessionsPort.CreateSession(ctx, ws, in)
}

func (s sessionsSeen) UpdateSession(ctx context.Context, ws, id string, patch domain.SessionPatch) (*domain.Receipt, error) {
	s.note(patch)
	return s.sessionsPort.UpdateSession(ctx, ws, id, patch)
}

type messagesSeen struct {
	messagesPort
	*seen
}

func (s messagesSeen) SendMessage(ctx context.Context, ws, id string, in domain.NewMessage) (*domain.Receipt, error) {
	s.note(in)
	return s.messagesPort.SendMessage(ctx, ws, id, in)
}

func (s messagesSeen) EditMessage(
	ctx context.Context, ws, id, message string, rich domain.RichContent, by domain.Author,
) (*domain.Receipt, error) {
	s.note(rich)
	return s.messagesPort.EditMessage(ctx, ws, id, message, rich, by)
}

type answersSeen struct {
	answersPort
	*seen
}

func (s answersSeen) ResumeValidation(ctx context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error) {
	s.note(d)
	return s.answersPort.ResumeValidation(ctx, ws, id, d)
}

func (s answersSeen) ResumeResponse(ctx context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error) {
	s.note(d)
	return s.answersPort.ResumeResponse(ctx, ws, id, d)
}

func (s answersSeen) ConfirmCompletion(ctx context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error) {
	s.note(d)
	return s.answersPort.ConfirmCompletion(ctx, ws, id, d)
}

func (s answersSeen) AnswerApproval(ctx context.Context, ws, id string, d domain.Decision) (*domain.Receipt, error) {
	s.note(d)
	return s.answersPort.AnswerApproval(ctx, ws, id, d)
}

type readsSeen struct {
	readsPort
	*seen
}

func (s readsSeen) Sessions(ctx context.Context, ws string, f domain.SessionFilter) ([]*domain.Session, string, error) {
	s.note(f)
	return s.readsPort.Sessions(ctx, ws, f)
}

type listsSeen struct {
	listsPort
	*seen
}

func (s listsSeen) Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error) {
	s.note(f)
	return s.listsPort.Approvals(ctx, ws, f)
}

type recordSeen struct {
	recordPort
	*seen
}

func (s recordSeen) Timeline(ctx context.Context, ws, id string, f reports.TimelineFilter) ([]reports.RecordLine, string, error) {
	s.note(f)
	return s.recordPort.Timeline(ctx, ws, id, f)
}

func (s recordSeen) Usage(ctx context.Context, ws string, f reports.UsageFilter) ([]reports.UsageRow, string, error) {
	s.note(f)
	return s.recordPort.Usage(ctx, ws, f)
}

type entriesSeen struct {
	entriesPort
	*seen
}

func (s entriesSeen) Entries(ctx context.Context, ws string, q userdata.EntryQuery) ([]userdata.Entry, string, error) {
	s.note(q)
	return s.entriesPort.Entries(ctx, ws, q)
}

type searchSeen struct {
	searchPort
	*seen
}

func (s searchSeen) Search(ctx context.Context, ws string, q userdata.SearchQuery) ([]userdata.SearchHit, string, error) {
	s.note(q)
	return s.searchPort.Search(ctx, ws, q)
}

type keysSeen struct {
	keysPort
	*seen
}

func (s keysSeen) CreateKey(ctx context.Context, ws string, in auth.NewKey) (*people.MintedKey, error) {
	s.note(in)
	return s.keysPort.CreateKey(ctx, ws, in)
}

type runsSeen struct {
	runsPort
	*seen
}

func (s runsSeen) TriggerAutomation(ctx context.Context, id, token string, body json.RawMessage) (*domain.Receipt, error) {
	s.note(string(body))
	return s.runsPort.TriggerAutomation(ctx, id, token, body)
}
