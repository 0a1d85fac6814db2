package scheduler

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/schedule"
)

// CreateAutomation makes an automation and its SEED. The number is that of the event at
// which it shows.
func (d *Door) CreateAutomation(ctx context.Context, workspace string, in domain.NewAutomation) (*domain.Automation, int64, error) {
	if err := d.checkProvider(ctx, workspace, in.ProviderID); err != nil {
		return nil, 0, err
	}
	return d.order(ctx, workspace, "", func(v *domain.AutomationView, change *domain.Change) (*domain.Automation, error) {
		order := &domain.Automation{
			ID: d.cfg.NewID(domain.PrefixAutomation), WorkspaceID: workspace, Name: in.Name, ProviderID: in.ProviderID,
			Enabled: in.Enabled, Misfire: in.Misfire, Overlap: in.Overlap, Validation: in.Validation,
			RequireValidation: in.RequireValidation, Completion: in.Completion, Tags: in.Tags, Triggers: in.Triggers,
			Budgets: in.Budgets, ScheduleSince: change.At, SeenSeq: v.Workspace.LastSeq, CreatedAt: change.At, UpdatedAt: change.At,
		}
		if err := setSchedule(order, in.Schedule, change.At); err != nil {
			return nil, err
		}
		order.SeedSessionID = d.makeSeed(order, in.Seed, in.By, change)
		return order, d.giveHook(order)
	})
}

// order decides about an automation, writes it and tells of it; change may be filled.
func (d *Door) order(ctx context.Context, workspace, id string, decide func(*domain.AutomationView, *domain.Change) (*domain.Automation, error)) (*domain.Automation, int64, error) {
	var order *domain.Automation
	o, err := d.passOrder(ctx, workspace, id, func(v *domain.AutomationView, _ bool) (*outcome, error) {
		change := d.changeOf(v)
		var err error
		if order, err = decide(v, change); err != nil {
			return nil, err
		}
		writeOrder(change, order, id == "")
		return &outcome{change: change}, nil
	})
	if err != nil {
		return nil, 0, err
	}
	d.agenda.look(order.WorkspaceID, d.cfg.Clock())
	return order, o.change.Events[len(o.change.Events)-1].Seq, nil
}

// setSchedule checks a schedule and says when it is due first. It counts from now on.
func setSchedule(order *domain.Automation, s *domain.Schedule, now time.Time) error {
	order.Schedule, order.NextAt = nil, nil
	if s == nil {
		return nil
	}
	anchored, err := schedule.Anchored(*s, now)
	if err != nil {
		return err
	}
	order.Schedule, order.ScheduleSince = &anchored, now
	return nextDue(order, now)
}

// nextDue sets when an enabled automation is due first after an instant.
func nextDue(order *domain.Automation, after time.Time) error {
	order.NextAt = nil
	if !order.Enabled || order.Schedule == nil {
		return nil
	}
	plan, err := schedule.Parse(*order.Schedule)
	if err != nil {
		return err
	}
	if next, ok := plan.Next(after); ok {
		order.NextAt = &next
	}
	return nil
}

// giveHook gives an automation with a webhook trigger its secret, once.
func (d *Door) giveHook(order *domain.Automation) error {
	if order.Trigger(domain.TriggerWebhook) == nil || order.HookHash != "" {
		return nil
	}
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		panic("scheduler: no randomness: " + err.Error()) // crypto/rand never fails
	}
	token := hex.EncodeToString(secret[:])
	var err error
	order.HookHash = HookHash(token)
	order.HookSealed, err = d.cfg.SealHook(order.WorkspaceID, order.ID, token)
	return err
}

// HookHash is what is kept of a webhook's secret to know it again.
func HookHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// isHook says whether a token is that of an automation's webhook.
func isHook(order *domain.Automation, token string) bool {
	return order.HookHash != "" && subtle.ConstantTimeCompare([]byte(order.HookHash), []byte(HookHash(token))) == 1
}

// makeSeed makes the session that holds the automation's first message. It is edited,
// never run.
func (d *Door) makeSeed(order *domain.Automation, rich domain.RichContent, by string, change *domain.Change) string {
	s := &domain.Session{
		ID: d.cfg.NewID(domain.PrefixSession), WorkspaceID: order.WorkspaceID, Type: domain.Seed, Name: order.Name,
		Phase: domain.Idle, AutomationID: order.ID, CreatedAt: change.At, UpdatedAt: change.At, LastEventTime: change.At,
	}
	change.Sessions = append(change.Sessions, domain.SessionWrite{Session: s, Insert: true})
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionCreated, Session: s})
	d.placeSeed(s, rich, by, change)
	return s.ID
}

func (d *Door) placeSeed(s *domain.Session, rich domain.RichContent, by string, change *domain.Change) {
	m := &domain.Message{
		ID: d.cfg.NewID(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID, Timestamp: change.At,
		Sender: domain.SenderUser, Status: domain.MessageStored, SenderID: by, Rich: &rich,
	}
	change.Messages = append(change.Messages, m)
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogMessageCreated, Message: m})
}

// replaceSeed gives the automation another first message; one that has lost its SEED
// gets a new one.
func (d *Door) replaceSeed(v *domain.AutomationView, order *domain.Automation, rich domain.RichContent, by string, change *domain.Change) {
	if v.SeedSession == nil {
		order.SeedSessionID = d.makeSeed(order, rich, by, change)
		return
	}
	for _, old := range v.Seed {
		change.DeletedMessages = append(change.DeletedMessages, old)
		change.Emit(domain.LogEvent{SessionID: v.Automation.SeedSessionID, Type: domain.LogMessageDeleted, Message: old})
	}
	d.placeSeed(&domain.Session{ID: v.Automation.SeedSessionID, WorkspaceID: v.Workspace.ID}, rich, by, change)
}

// codeVersion: the client saw another version (If-Match).
const codeVersion domain.Code = "precondition_failed"

func sameVersion(v *domain.AutomationView, version int64) error {
	if version != 0 && version != v.Automation.Version {
		return domain.Errorf(codeVersion, "The automation was changed meanwhile. Nothing was written; read it again and repeat your change.")
	}
	return nil
}

// UpdateAutomation changes an automation. A changed schedule, and enabling it, counts
// from now on; any other change does not move it.
func (d *Door) UpdateAutomation(ctx context.Context, workspace, id string, patch domain.AutomationPatch) (*domain.Automation, int64, error) {
	if patch.ProviderID != nil {
		if err := d.checkProvider(ctx, workspace, *patch.ProviderID); err != nil {
			return nil, 0, err
		}
	}
	return d.order(ctx, workspace, id, func(v *domain.AutomationView, change *domain.Change) (*domain.Automation, error) {
		if err := sameVersion(v, patch.Version); err != nil {
			return nil, err
		}
		order := *v.Automation
		order.UpdatedAt = change.At
		set(&order.Name, patch.Name)
		set(&order.ProviderID, patch.ProviderID)
		set(&order.Misfire, patch.Misfire)
		set(&order.Overlap, patch.Overlap)
		set(&order.Validation, patch.Validation)
		set(&order.RequireValidation, patch.RequireValidation)
		set(&order.Completion, patch.Completion)
		set(&order.Tags, patch.Tags)
		set(&order.Budgets, patch.Budgets)
		if patch.Triggers != nil {
			order.Triggers = *patch.Triggers
			order.SeenSeq = v.Workspace.LastSeq
			if err := d.giveHook(&order); err != nil {
				return nil, err
			}
		}
		if patch.Seed != nil {
			d.replaceSeed(v, &order, *patch.Seed, patch.By, change)
		}
		return &order, d.reschedule(v, &order, patch, change)
	})
}

// reschedule applies what a patch says about the schedule and about being enabled.
func (d *Door) reschedule(v *domain.AutomationView, order *domain.Automation, patch domain.AutomationPatch, change *domain.Change) error {
	was := v.Automation.Enabled
	set(&order.Enabled, patch.Enabled)
	enabled := order.Enabled && !was
	if enabled {
		order.DisabledReason, order.ScheduleSince, order.SeenSeq = "", change.At, v.Workspace.LastSeq
	}
	if was && !order.Enabled {
		order.NextAt = nil
		for _, due := range v.Due {
			d.record(change, due, domain.OccurrenceSkipped, domain.SkippedDisabled)
		}
	}
	if patch.Schedule != nil && !sameSchedule(*patch.Schedule, v.Automation.Schedule) {
		return setSchedule(order, *patch.Schedule, change.At)
	}
	if enabled {
		return nextDue(order, change.At)
	}
	return nil
}

// sameSchedule: a schedule that is sent back as it was read is no change.
func sameSchedule(a, b *domain.Schedule) bool {
	if a == nil || b == nil {
		return a == b
	}
	x := *a
	if x.StartsAt == "" {
		x.StartsAt = b.StartsAt
	}
	return x == *b
}

// RenewHook gives the automation's webhook another URL; the old one is unknown at once.
func (d *Door) RenewHook(ctx context.Context, workspace, id string) (*domain.Automation, int64, error) {
	return d.order(ctx, workspace, id, func(v *domain.AutomationView, change *domain.Change) (*domain.Automation, error) {
		order := *v.Automation
		if order.Trigger(domain.TriggerWebhook) == nil {
			return nil, domain.Errorf(domain.CodeConflict, "The automation has no webhook trigger. Nothing was changed.")
		}
		order.HookHash, order.HookSealed, order.UpdatedAt = "", "", change.At
		return &order, d.giveHook(&order)
	})
}

// maxStops bounds how often a deletion stops what has begun again meanwhile.
const maxStops = 5

// DeleteAutomation deletes an automation; its runs stay. One with a run under way asks
// for force, which stops it first: a deletion that was cut short in between can be asked
// for again, and no run outlives it.
func (d *Door) DeleteAutomation(ctx context.Context, workspace, id string, version int64, force bool) error {
	for range maxStops {
		err := d.deleteAutomation(ctx, workspace, id, version)
		running, ok := errors.AsType[*restartError](err)
		if !ok {
			return err
		}
		if !force {
			break
		}
		for _, s := range running.runs {
			if _, err := d.StopSession(ctx, workspace, s, domain.Author{ID: "automation deleted"}); err != nil && !refused(err) {
				return fmt.Errorf("stop the run %s of the automation: %w", s, err)
			}
		}
	}
	return domain.Errorf(domain.CodeSessionBusy, "A run of this automation has not ended. Nothing was deleted; with force it is stopped.")
}

// deleteAutomation deletes one whose runs have all ended; else it names those that have
// not.
func (d *Door) deleteAutomation(ctx context.Context, workspace, id string, version int64) error {
	_, _, err := d.order(ctx, workspace, id, func(v *domain.AutomationView, change *domain.Change) (*domain.Automation, error) {
		if err := sameVersion(v, version); err != nil {
			return nil, err
		}
		if len(v.Unended) > 0 {
			return nil, runsOf(v.Unended)
		}
		order := *v.Automation
		order.Enabled, order.NextAt, order.DeletedAt, order.UpdatedAt = false, nil, &change.At, change.At
		order.HookHash, order.HookSealed = "", ""
		for _, due := range v.Due {
			d.record(change, due, domain.OccurrenceSkipped, domain.SkippedDisabled)
		}
		deleteSeed(v, change)
		return &order, nil
	})
	return err
}

// deleteSeed deletes the SEED with its automation: its runs have copies of all that they
// were begun with.
func deleteSeed(v *domain.AutomationView, change *domain.Change) {
	if v.SeedSession == nil {
		return
	}
	change.Sessions = append(change.Sessions, domain.SessionWrite{Session: v.SeedSession, Delete: true})
	change.Emit(domain.LogEvent{SessionID: v.SeedSession.ID, Type: domain.LogSessionEnded, Session: v.SeedSession})
}

// GiveGrant adds a grant to an automation.
func (d *Door) GiveGrant(ctx context.Context, workspace, automation string, g domain.Grant) (*domain.Grant, int64, error) {
	_, seq, err := d.order(ctx, workspace, automation, func(v *domain.AutomationView, change *domain.Change) (*domain.Automation, error) {
		if len(v.Grants) >= maxGrants {
			return nil, domain.Invalid("/commands", "too_many", "The automation has %d grants that hold, as many as it may. Withdraw one first.", maxGrants)
		}
		g.ID, g.WorkspaceID, g.AutomationID = d.cfg.NewID(domain.PrefixGrant), workspace, automation
		g.CreatedAt = change.At
		change.Grants = append(change.Grants, &g)
		order := *v.Automation
		order.UpdatedAt = change.At
		return &order, nil
	})
	if err != nil {
		return nil, 0, err
	}
	return &g, seq, nil
}

// maxGrants bounds the grants of an automation that hold: every decision about one of its
// runs reads them.
const maxGrants = 100

// WithdrawGrant ends a grant; what runs from now on asks again.
func (d *Door) WithdrawGrant(ctx context.Context, workspace, automation, grant string) (int64, error) {
	_, seq, err := d.order(ctx, workspace, automation, func(v *domain.AutomationView, change *domain.Change) (*domain.Automation, error) {
		i := slices.IndexFunc(v.Grants, func(g *domain.Grant) bool { return g.ID == grant })
		if i < 0 {
			return nil, domain.NotFound("grant")
		}
		withdrawn := *v.Grants[i]
		withdrawn.RevokedAt = &change.At
		change.Grants = append(change.Grants, &withdrawn)
		order := *v.Automation
		order.UpdatedAt = change.At
		return &order, nil
	})
	return seq, err
}
