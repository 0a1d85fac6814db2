package automations

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/visible"
	"github.com/fermata-dev/fermata/scheduler"
)

// DisableIfFailing checks an automation whose run has ended: after too many failures in a row it is
// disabled.
func (r *Runs) DisableIfFailing(ctx context.Context, ref domain.AutomationRef) {
	_, err := r.deliver(ctx, ref.WorkspaceID, ref.ID, func(p rules, v *automation.View) (scheduler.Plan, error) {
		return scheduler.Plan{Change: p.disableFailing(v)}, nil
	})
	if err != nil && domain.ErrorCode(err) != domain.CodeNotFound && ctx.Err() == nil {
		r.Log.Warn().Err(err).Str("automation", ref.ID).
			Msg("could not look at the automation after its run; it is looked at again at the next sweep")
	}
}

// disableFailing disables an automation whose latest runs all failed; nil: it stays enabled.
func (p rules) disableFailing(v *automation.View) *domain.Change {
	if !v.Automation.Enabled || len(v.Ends) < automation.FailuresToDisable {
		return nil
	}
	for _, end := range v.Ends {
		if end != domain.EndError && end != domain.EndTimeout && end != domain.EndLimitReached {
			return nil
		}
	}
	a := *v.Automation
	change := p.change(v)
	a.Enabled, a.DisabledReason, a.NextAt, a.UpdatedAt = false, "failures", nil, change.At
	skipDue(v, change)
	write(change, &a, false)
	text := domain.Say("The automation %q was disabled: its last %d runs failed. "+
		"Look at them, fix the cause, and enable it again.",
		"L’automatisation %q a été désactivée : ses %d dernières exécutions ont échoué. "+
			"Regardez-les, corrigez la cause, puis réactivez-la.",
		visible.Line(a.Name), automation.FailuresToDisable)
	change.Emit(domain.LogEvent{Type: domain.LogNotice, Notice: domain.NoticeOf("error", "automation_disabled", text,
		v.Workspace.Settings.Language)})
	return change
}

// skipDue records that what is due does not run, because the automation is disabled.
func skipDue(v *automation.View, change *domain.Change) {
	for _, due := range v.Due {
		record(change, due, automation.OccurrenceSkipped, automation.SkippedDisabled)
	}
}
