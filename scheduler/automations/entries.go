package automations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/visible"
	"github.com/fermata-dev/fermata/scheduler"
)

const (
	// watchBatch bounds how many events one look takes.
	watchBatch = 200
	// maxListed bounds how many new entries are listed to a run that they started.
	maxListed = 20
)

// StartByEntries looks at the entries that were made in a workspace, and starts the
// automations that watch for them.
func (r *Runs) StartByEntries(ctx context.Context, workspace string) error {
	refs, err := r.Store.WatchingAutomations(ctx, workspace)
	for _, ref := range refs {
		if err == nil {
			err = r.lookForEntries(ctx, ref)
		}
	}
	return err
}

// lookForEntries reads the log from where the automation stopped. The position is stored together with the
// run that it starts: an entry starts one run, despite crashes.
func (r *Runs) lookForEntries(ctx context.Context, ref domain.AutomationRef) error {
	for {
		a, err := r.Store.Automation(ctx, ref.WorkspaceID, ref.ID)
		if err != nil || !a.Watches() {
			return err
		}
		events, more, err := r.Events.Events(ctx, ref.WorkspaceID, "", a.SeenSeq, domain.PageSize{Rows: watchBatch})
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := r.lookAtEvent(ctx, a, e); err != nil {
				return err
			}
		}
		if err := r.seen(ctx, a, events[len(events)-1].Seq); err != nil || !more {
			return err
		}
	}
}

// seen notes up to which event an automation has looked.
func (r *Runs) seen(ctx context.Context, a *automation.Automation, seq int64) error {
	_, err := r.deliver(ctx, a.WorkspaceID, a.ID, func(p rules, v *automation.View) (scheduler.Plan, error) {
		if v.Automation.SeenSeq >= seq {
			return scheduler.Plan{}, nil
		}
		change := p.change(v)
		change.Rows = append(change.Rows, sawUntil(v.Automation, seq))
		return scheduler.Plan{Change: change}, nil
	})
	return err
}

func sawUntil(a *automation.Automation, seq int64) automation.Write {
	own := *a
	own.SeenSeq = seq
	return automation.Write{Automation: &own, Bookkeeping: true}
}

// lookAtEvent starts a run if the event made entries that the automation watches for.
func (r *Runs) lookAtEvent(ctx context.Context, a *automation.Automation, e *domain.LogEvent) error {
	made := entriesOf(e)
	if made == nil {
		return nil
	}
	trigger := watchesFor(a, made.ToolID)
	if trigger == nil {
		return nil
	}
	maker, err := r.maker(ctx, a, made.SessionID)
	if err != nil || maker.AutomationID == a.ID {
		return err // an automation does not start itself by what its own runs write
	}
	entries, err := r.entriesThatCount(ctx, a, trigger, made)
	if err != nil || len(entries) == 0 {
		return err
	}
	note := listed(entries)
	_, err = r.deliverRestarting(ctx, a.WorkspaceID, a.ID, func(p rules, v *automation.View) (scheduler.Plan, error) {
		if v.Automation.SeenSeq >= e.Seq || !v.Automation.Watches() {
			return scheduler.Plan{}, nil
		}
		plan, err := p.beginByEvent(v, start{
			trigger: domain.ByEvent, cause: domain.CauseManualTrigger, at: p.now, by: "entry_created",
			note: note, from: domain.From(domain.OriginData, made.ToolID), taint: taintOf(maker, entries),
		})
		if err != nil {
			return scheduler.Plan{}, err
		}
		if plan.Change == nil {
			plan.Change = p.change(v)
		}
		plan.Change.Rows = append(plan.Change.Rows, sawUntil(v.Automation, e.Seq))
		return plan, nil
	})
	if code := domain.ErrorCode(err); err != nil && (code == domain.CodeQueueFull || code == domain.CodeConflict) {
		return r.unstarted(ctx, a, e.Seq, err)
	}
	return err
}

// taintOf is the external content that reaches a run by the entries that start it.
func taintOf(maker *domain.Session, entries []*userdata.Entry) *domain.Taint {
	taint := maker.State.Taint
	for _, entry := range entries {
		taint = taint.Including(trust.Read(entry.Trust)...)
	}
	return taint
}

// entriesOf reads which entries an event made; nil: none.
func entriesOf(e *domain.LogEvent) *domain.DataChange {
	if e.Type != domain.LogDataChanged {
		return nil
	}
	var made domain.DataChange
	if err := json.Unmarshal(e.Data, &made); err != nil || !made.MadeEntries() || made.MadeAt == nil {
		return nil
	}
	return &made
}

// unstarted notifies people of an entry that could not start its automation; it is not retried for ever.
func (r *Runs) unstarted(ctx context.Context, a *automation.Automation, seq int64, why error) error {
	r.Log.Warn().Err(why).Str("automation", a.ID).Msg("an entry could not start its automation")
	_, err := r.deliver(ctx, a.WorkspaceID, a.ID, func(p rules, v *automation.View) (scheduler.Plan, error) {
		if v.Automation.SeenSeq >= seq {
			return scheduler.Plan{}, nil
		}
		change := p.change(v)
		change.Rows = append(change.Rows, sawUntil(v.Automation, seq))
		text := domain.Say("A new entry did not start the automation %q: %s", "Une nouvelle entrée n’a pas lancé l’automatisation %q : %s",
			visible.Line(a.Name), message(why))
		change.Emit(domain.LogEvent{Type: domain.LogNotice, Notice: domain.NoticeOf("warning", "automation_not_started", text,
			v.Workspace.Settings.Language)})
		return scheduler.Plan{Change: change}, nil
	})
	return err
}

// message is what people may read of an error.
func message(err error) string {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return e.Message
	}
	return "the server failed."
}

func watchesFor(a *automation.Automation, tool string) *automation.Trigger {
	for i := range a.Triggers {
		if t := &a.Triggers[i]; t.Type == automation.TriggerEntryCreated && t.ToolID == tool {
			return t
		}
	}
	return nil
}

// maker is the session that made the entries; an empty one where no session did, or it was
// deleted.
func (r *Runs) maker(ctx context.Context, a *automation.Automation, session string) (*domain.Session, error) {
	if session == "" {
		return &domain.Session{}, nil
	}
	s, err := r.Store.Session(ctx, a.WorkspaceID, session)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return &domain.Session{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read who made the entries: %w", err)
	}
	return s, nil
}

// seenEntry is an entry as a trigger's condition sees it.
type seenEntry struct {
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// entriesThatCount are the new entries that meet the trigger's condition.
func (r *Runs) entriesThatCount(
	ctx context.Context, a *automation.Automation, trigger *automation.Trigger, made *domain.DataChange,
) ([]*userdata.Entry, error) {
	all, err := r.Events.EntriesMadeAt(ctx, a.WorkspaceID, made.ToolID, *made.MadeAt, max(made.Count, 1))
	if err != nil {
		return nil, fmt.Errorf("read the entries that were made: %w", err)
	}
	var some []*userdata.Entry
	for _, entry := range all {
		value, err := json.Marshal(seenEntry{entry.Timestamp, entry.Data})
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", entry.ID, err)
		}
		holds, err := r.Conditions.Holds(trigger.Condition, value)
		if err != nil {
			return nil, fmt.Errorf("check the condition of automation %s: %w", a.ID, err)
		}
		if holds {
			some = append(some, entry)
		}
	}
	return some, nil
}

// listed describes the entries that started a run, for the run.
func listed(entries []*userdata.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "New entries (%d) in the tool %s started this run:", len(entries), entries[0].ToolID)
	for i, e := range entries {
		if i == maxListed {
			fmt.Fprintf(&b, "\n… and %d more", len(entries)-maxListed)
			break
		}
		fmt.Fprintf(&b, "\n- %s %s: %s", e.ID, e.Timestamp.UTC().Format("2006-01-02T15:04:05Z"), e.Data)
	}
	return b.String()
}
