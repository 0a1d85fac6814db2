package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// Texts for the AI about a person's report on an action with an unknown outcome. They do not depend on the
// person.
const (
	saidHappened = "A person says that it was done."
	saidDidNot   = "A person says that it was not done."
	saidRunAgain = "The outcome is still unknown, and a person wants this action run again. If no request for its " +
		"approval follows, send the same action again, with the same parameters: a person has to approve it."
)

// prepareOutcome reads the action whose outcome is reported, and plans it again if it is to run once more.
func (a *Answers) prepareOutcome(ctx context.Context, x *answering, v *domain.View, approval *domain.Approval) error {
	if len(approval.Actions) == 0 {
		return domain.Errorf(domain.CodeInternal, "The approval %s names no action.", approval.ID)
	}
	var err error
	if x.sent, err = a.Store.Execution(ctx, approval.WorkspaceID, approval.Actions[0].ID); err != nil {
		return err
	}
	if x.decision.Outcome == domain.OutcomeRunAgain {
		x.again, err = a.Checks.Again(ctx, v, x.sent)
	}
	return err
}

// replyToOutcome turns a person's report into the late result of the action.
func (r *answering) replyToOutcome(v *domain.View, _ *domain.Approval) (domain.Event, error) {
	if r.sent == nil {
		return nil, errSettled
	}
	x, decision, answer := *r.sent, r.decision, r.answer()
	e := domain.ExternalResultReceived{Execution: &x, Answer: &answer}
	words := x.Command
	switch decision.Outcome {
	case domain.OutcomeHappened:
		x.Status, x.Text, x.Error = domain.ExecSuccess, saidHappened, nil
		x.Summary = domain.Say("Done, as a person says: %s", "Fait, selon une personne : %s", words)
	case domain.OutcomeDidNot:
		x.Status, x.Error = domain.ExecFailed, &domain.CommandError{Code: "not_done", Message: saidDidNot}
		x.Summary = domain.Say("Not done, as a person says: %s", "Pas fait, selon une personne : %s", words)
	case domain.OutcomeRunAgain:
		x.Note, e.Again = saidRunAgain, r.again
		x.Summary = domain.Say("To be run again, once the AI has requested it and it is approved: %s",
			"À exécuter à nouveau, quand l’IA l’aura demandé et que ce sera approuvé : %s", words)
		if v.Session.Type == domain.Chat && v.Session.Phase == domain.Idle {
			x.Summary = domain.Say("To be run again, once it is approved: %s", "À exécuter à nouveau, une fois approuvé : %s", words)
		}
	default:
		return nil, domain.Invalid("/outcome", "enum", "The outcome is happened, did_not or run_again.")
	}
	e.Result = domain.ResultOf(&x, v.Workspace.Settings.Language)
	e.Result.From = domain.From(domain.OriginPerson, decision.By.Name)
	return e, nil
}
