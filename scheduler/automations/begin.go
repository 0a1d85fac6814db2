package automations

import (
	"cmp"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// start is what a new run of an automation is to be.
type start struct {
	trigger string
	cause   domain.Cause
	// at is the reference of relative periods: the scheduled time, or the time of the request.
	at   time.Time
	note string             // added to the first message: the event's content
	from *domain.Provenance // of the note
	// taint is that of the session whose entries start it: external content reaches the run through them.
	taint *domain.Taint
	by    string
	// instead is what takes the place of the automation's own in this run alone.
	instead automation.RunRequest
	// onTime: it is scheduled, and begins only if it gets the slot at once. since is when
	// it began to wait for it.
	onTime bool
	since  time.Time
}

// begin plans a run: a copy of the SEED's messages in a new session, which requests the slot. With onTime
// it is created only if the slot is granted.
func (p rules) begin(v *automation.View, s start) (scheduler.Plan, error) {
	if err := mayBegin(v, s); err != nil {
		return scheduler.Plan{}, err
	}
	a := v.Automation
	run := &domain.Session{
		ID: p.newID(domain.PrefixSession), WorkspaceID: v.Workspace.ID, Type: domain.Run, Name: a.Name,
		Phase: domain.ExecutingEnrichments, AutomationID: a.ID, Trigger: s.trigger, ScheduledExecutionTime: &s.at,
		ProviderID: cmp.Or(s.instead.ProviderID, a.ProviderID), RequireValidation: a.RequireValidation, Budgets: a.Budgets,
		Ownership: a.Ownership, Place: domain.Place{Lane: v.Lane},
		CreatedAt: p.now, UpdatedAt: p.now, LastEventTime: p.now,
	}
	run.State = domain.SessionState{
		RoundState: domain.RoundState{
			RoundID: p.newID(domain.PrefixRound), RoundCause: s.cause, NextReason: domain.RoundtripReason(s.cause),
		},
		NextRound: domain.NextRound{RoundModel: s.instead.Model},
		RunTerms:  domain.RunTerms{Validation: a.Validation, AskCompletion: a.Completion == automation.CompletionAsk},
	}
	if a.Commands != nil && !slices.Contains(a.Commands, domain.AllCommands) {
		run.State.Commands = slices.Clone(a.Commands)
	}
	messages := p.copySeed(v, run, s)
	run.State.Taint = s.taint.Join(domain.TaintOf(messages))
	run.State.RoundMessageID = messages[len(messages)-1].ID
	return scheduler.Plan{Run: &scheduler.NewRun{Session: run, Messages: messages, OnTime: s.onTime, Since: s.since}}, nil
}

// mayBegin refuses a run that could not go.
func mayBegin(v *automation.View, s start) error {
	if len(v.Seed) == 0 {
		return domain.Errorf(domain.CodeConflict, "The automation has no message to begin with. Give it one (seed); nothing was started.")
	}
	if limit := v.Workspace.Settings.MaxQueueLength; !s.onTime && limit > 0 && len(v.Queue) >= limit {
		return domain.Errorf(domain.CodeQueueFull, "The queue of this workspace is full (%d). Nothing was started; try again later.", limit)
	}
	return nil
}

// copySeed copies the SEED's messages into the run, so that no later change of the
// automation changes it. Other words take the place of them all.
func (p rules) copySeed(v *automation.View, run *domain.Session, s start) []*domain.Message {
	seeds := v.Seed
	if s.instead.Rich != nil {
		own := *seeds[len(seeds)-1]
		own.Rich = s.instead.Rich
		seeds = []*domain.Message{&own}
	}
	messages := make([]*domain.Message, len(seeds))
	for i, seed := range seeds {
		m := *seed
		rich := domain.RichContent{}
		if seed.Rich != nil {
			rich = *seed.Rich
		}
		if s.note != "" && i == len(seeds)-1 {
			rich.Segments = append(append([]domain.Segment(nil), rich.Segments...),
				domain.Segment{Type: "text", Text: "\n\n" + s.note, From: s.from})
			rich.LinearText += "\n\n" + s.note
		}
		m.ID, m.SessionID, m.RoundID, m.Seq = p.newID(domain.PrefixMessage), run.ID, run.State.RoundID, 0
		m.Timestamp, m.Status, m.SenderID, m.Rich = p.now, domain.MessageStored, s.by, &rich
		messages[i] = &m
	}
	return messages
}
