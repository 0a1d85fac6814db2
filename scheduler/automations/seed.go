package automations

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// makeSeed makes the session that holds the automation's first message. It is edited,
// never run.
func (p rules) makeSeed(a *automation.Automation, rich domain.RichContent, by string, change *domain.Change) string {
	s := &domain.Session{
		ID: p.newID(domain.PrefixSession), WorkspaceID: a.WorkspaceID, Type: domain.Seed, Name: a.Name,
		Ownership: a.Ownership,
		Phase:     domain.Idle, AutomationID: a.ID, CreatedAt: change.At, UpdatedAt: change.At, LastEventTime: change.At,
	}
	change.Sessions = append(change.Sessions, domain.SessionWrite{Session: s, Insert: true})
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	p.placeSeed(s, rich, by, change)
	return s.ID
}

func (p rules) placeSeed(s *domain.Session, rich domain.RichContent, by string, change *domain.Change) {
	m := &domain.Message{
		ID: p.newID(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: change.At,
		Sender: domain.SenderUser, Status: domain.MessageStored, SenderID: by, Rich: &rich,
	}
	change.Messages = append(change.Messages, m)
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
}

// replaceSeed replaces the automation's first message; a missing SEED is created again.
func (p rules) replaceSeed(v *automation.View, a *automation.Automation, rich domain.RichContent, by string, change *domain.Change) {
	if v.SeedSession == nil {
		a.SeedSessionID = p.makeSeed(a, rich, by, change)
		return
	}
	for _, old := range v.Seed {
		change.DeletedMessages = append(change.DeletedMessages, old)
		change.Emit(domain.LogEvent{SessionID: v.Automation.SeedSessionID, Type: domain.LogMessageDeleted, Message: old})
	}
	p.placeSeed(&domain.Session{ID: v.Automation.SeedSessionID, WorkspaceID: v.Workspace.ID}, rich, by, change)
}

// deleteSeed deletes the SEED with its automation: its runs have copies of all that they
// were begun with.
func deleteSeed(v *automation.View, change *domain.Change) {
	if v.SeedSession == nil {
		return
	}
	change.Sessions = append(change.Sessions, domain.SessionWrite{Session: v.SeedSession, Delete: true})
	change.Emit(domain.LogEvent{SessionID: v.SeedSession.ID, Type: domain.LogSessionEnded, Session: v.SeedSession})
}
