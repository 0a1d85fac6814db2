package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// watchBatch bounds how many events one look takes.
	watchBatch = 200
	// maxTold bounds how many new entries are told to a run that they started.
	maxTold = 20
)

// Committed is told of every change that this process commits: something may come due
// because of it, and entries that were made may start automations.
func (d *Door) Committed(change *domain.Change) {
	d.probation.note(change)
	d.agenda.comesDue(change)
	for _, e := range change.Events {
		if e.Type == domain.LogDataChanged && madeEntries(e.Change) {
			d.agenda.watch(change.WorkspaceID)
			return
		}
	}
}

func madeEntries(c *domain.DataChange) bool {
	return c != nil && c.Noun == "entry" && c.Operation == "created"
}

// watch asks for a look at the events of a workspace.
func (a *agenda) watch(workspace string) {
	a.mu.Lock()
	a.watches[workspace] = true
	a.mu.Unlock()
	a.poke()
}

// watchAll looks at the workspaces in which entries were made.
func (a *agenda) watchAll(ctx context.Context) {
	a.mu.Lock()
	watches := a.watches
	a.watches = map[string]bool{}
	a.mu.Unlock()
	for workspace := range watches {
		refs, err := a.door.cfg.Orders.WatchingAutomations(ctx, workspace)
		for _, ref := range refs {
			if err == nil {
				err = a.door.lookForEntries(ctx, ref)
			}
		}
		if err != nil && ctx.Err() == nil {
			a.door.cfg.Log.Warn().Err(err).Str("workspace", workspace).Msg("could not look for entries that start automations; they are found at the next look")
		}
	}
}

// lookForEntries reads the log from where the automation has looked last. What was
// looked at is written together with the run that it starts: an entry starts one run,
// whatever crashes.
func (d *Door) lookForEntries(ctx context.Context, ref domain.AutomationRef) error {
	for {
		order, err := d.cfg.Orders.Automation(ctx, ref.WorkspaceID, ref.ID)
		if err != nil || !order.Watches() {
			return err
		}
		events, more, err := d.cfg.Events.Events(ctx, ref.WorkspaceID, "", order.SeenSeq, domain.PageSize{Rows: watchBatch})
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := d.lookAtEvent(ctx, order, e); err != nil {
				return err
			}
		}
		if err := d.seen(ctx, order, events[len(events)-1].Seq); err != nil || !more {
			return err
		}
	}
}

// seen notes up to which event an automation has looked.
func (d *Door) seen(ctx context.Context, order *domain.Automation, seq int64) error {
	_, err := d.passOrder(ctx, order.WorkspaceID, order.ID, func(v *domain.AutomationView, _ bool) (*outcome, error) {
		if v.Automation.SeenSeq >= seq {
			return nil, nil
		}
		change := d.changeOf(v)
		change.Automations = []domain.AutomationWrite{sawUntil(v.Automation, seq)}
		return &outcome{change: change}, nil
	})
	return err
}

func sawUntil(order *domain.Automation, seq int64) domain.AutomationWrite {
	own := *order
	own.SeenSeq = seq
	return domain.AutomationWrite{Automation: &own, Tick: true}
}

// lookAtEvent starts a run if the event made entries that the automation watches for.
func (d *Door) lookAtEvent(ctx context.Context, order *domain.Automation, e *domain.LogEvent) error {
	made := entriesOf(e)
	if made == nil {
		return nil
	}
	trigger := watchesFor(order, made.ToolID)
	if trigger == nil {
		return nil
	}
	if own, err := d.ownRun(ctx, order, made.SessionID); err != nil || own {
		return err
	}
	entries, err := d.entriesThatCount(ctx, order, trigger, made)
	if err != nil || len(entries) == 0 {
		return err
	}
	note := toldEntries(entries)
	_, err = d.passRestarting(ctx, order.WorkspaceID, order.ID, func(v *domain.AutomationView, known bool) (*outcome, error) {
		if v.Automation.SeenSeq >= e.Seq || !v.Automation.Watches() {
			return nil, nil
		}
		o, err := d.beginByEvent(v, run{trigger: domain.ByEvent, cause: domain.CauseManualTrigger, at: d.cfg.Clock(), note: note, by: "entry_created"}, known)
		if err != nil {
			return nil, err
		}
		o.change.Automations = append(o.change.Automations, sawUntil(v.Automation, e.Seq))
		return o, nil
	})
	if code := domain.ErrorCode(err); err != nil && (code == domain.CodeQueueFull || code == domain.CodeConflict) {
		return d.unstarted(ctx, order, e.Seq, err)
	}
	return err
}

// entriesOf reads which entries an event made; nil: none.
func entriesOf(e *domain.LogEvent) *domain.DataChange {
	if e.Type != domain.LogDataChanged {
		return nil
	}
	var made domain.DataChange
	if err := json.Unmarshal(e.Data, &made); err != nil || !madeEntries(&made) || made.MadeAt == nil {
		return nil
	}
	return &made
}

// unstarted tells people of an entry that could not start its automation; it is not
// tried for ever.
func (d *Door) unstarted(ctx context.Context, order *domain.Automation, seq int64, why error) error {
	d.cfg.Log.Warn().Err(why).Str("automation", order.ID).Msg("an entry could not start its automation")
	_, err := d.passOrder(ctx, order.WorkspaceID, order.ID, func(v *domain.AutomationView, _ bool) (*outcome, error) {
		if v.Automation.SeenSeq >= seq {
			return nil, nil
		}
		change := d.changeOf(v)
		change.Automations = []domain.AutomationWrite{sawUntil(v.Automation, seq)}
		change.Emit(domain.LogEvent{Type: domain.LogNotice, Notice: &domain.Notice{
			Level: "warning", Code: "automation_not_started",
			Text: v.Workspace.Settings.Say("A new entry did not start the automation %q: %s", "Une nouvelle entrée n’a pas lancé l’automatisation %q : %s",
				domain.VisibleLine(order.Name), message(why)),
		}})
		return &outcome{change: change}, nil
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

func watchesFor(order *domain.Automation, tool string) *domain.Trigger {
	for i := range order.Triggers {
		if t := &order.Triggers[i]; t.Type == domain.TriggerEntryCreated && t.ToolID == tool {
			return t
		}
	}
	return nil
}

// ownRun: an automation does not start itself by what its own runs write.
func (d *Door) ownRun(ctx context.Context, order *domain.Automation, session string) (bool, error) {
	if session == "" {
		return false, nil
	}
	s, err := d.cfg.Store.Session(ctx, order.WorkspaceID, session)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return false, nil // it was deleted
	}
	if err != nil {
		return false, fmt.Errorf("read who made the entries: %w", err)
	}
	return s.AutomationID == order.ID, nil
}

// seenEntry is an entry as a trigger's condition sees it.
type seenEntry struct {
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// entriesThatCount are the new entries that meet the trigger's condition.
func (d *Door) entriesThatCount(ctx context.Context, order *domain.Automation, trigger *domain.Trigger, made *domain.DataChange) ([]*domain.Entry, error) {
	all, err := d.cfg.Events.EntriesMadeAt(ctx, order.WorkspaceID, made.ToolID, *made.MadeAt, max(made.Count, 1))
	if err != nil {
		return nil, fmt.Errorf("read the entries that were made: %w", err)
	}
	var some []*domain.Entry
	for _, entry := range all {
		value, err := json.Marshal(seenEntry{entry.Timestamp, entry.Data})
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", entry.ID, err)
		}
		holds, err := d.cfg.Conditions.Holds(trigger.Condition, value)
		if err != nil {
			return nil, fmt.Errorf("check the condition of automation %s: %w", order.ID, err)
		}
		if holds {
			some = append(some, entry)
		}
	}
	return some, nil
}

// toldEntries tells a run what started it.
func toldEntries(entries []*domain.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "New entries (%d) in the tool %s started this run:", len(entries), entries[0].ToolID)
	for i, e := range entries {
		if i == maxTold {
			fmt.Fprintf(&b, "\n… and %d more", len(entries)-maxTold)
			break
		}
		fmt.Fprintf(&b, "\n- %s %s: %s", e.ID, e.Timestamp.UTC().Format("2006-01-02T15:04:05Z"), e.Data)
	}
	return b.String()
}
