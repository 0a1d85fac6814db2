package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/remote"
)

func (t *chatLoop) asked(a *api.Approval) {
	if !slices.ContainsFunc(t.open, func(q *asking) bool { return q.approval.ID == a.ID }) {
		t.open = append(t.open, newAsking(a))
	}
}

// settled handles an approval that was answered, here or elsewhere.
func (t *chatLoop) settled(a *api.Approval) {
	t.open = slices.DeleteFunc(t.open, func(q *asking) bool { return q.approval.ID == a.ID })
	if t.prompted != nil && t.prompted.approval.ID == a.ID {
		t.prompted = nil
		t.screen.Ask("")
		t.screen.Dim("(settled elsewhere: %s)", a.Status)
	}
}

// prompt displays the oldest open question, or answers it by the flags.
func (t *chatLoop) prompt(ctx context.Context) error {
	if t.prompted != nil || len(t.open) == 0 || t.open[0].sent {
		return nil
	}
	q := t.open[0]
	t.screen.Line("%s", strings.Join(append(cardLines(q.approval), q.editLines()...), "\n"))
	if t.yes || t.no {
		if answer := q.byFlag(t.yes); answer != nil {
			t.screen.Dim("(%s by flag)", map[bool]string{true: "approved", false: "rejected"}[t.yes])
			return t.send(ctx, q, answer)
		}
	} else if t.script && q.approval.Kind != api.ApprovalQuestion {
		return t.unanswered(q)
	}
	t.prompted = q
	t.put(q.question())
	return nil
}

// reply handles an answer that was typed. If it is not understood, the question is displayed again.
func (t *chatLoop) reply(ctx context.Context, q *asking, text string) error {
	if t.script {
		t.screen.Text(text + "\n") // the input of a script is not echoed by a terminal
	}
	if !t.script && q.wantsEdit(text) {
		edit(ctx, t, q)
		t.put(q.question())
		return nil
	}
	answer, problem := q.feed(text)
	if answer == nil {
		if problem != "" {
			t.screen.Line("%s", problem)
		}
		t.put(q.question())
		return nil
	}
	return t.send(ctx, q, answer)
}

func (t *chatLoop) send(ctx context.Context, q *asking, answer map[string]any) error {
	t.prompted, q.sent = nil, true
	call := func() error { return t.deliver(ctx, "/v1/approvals/"+q.approval.ID, answer, nil) }
	return t.later(ctx, call, func(err error) error {
		q.sent = false
		return t.answered(ctx, q, answer, err)
	})
}

// answered handles the server's response to an answer.
func (t *chatLoop) answered(ctx context.Context, q *asking, answer map[string]any, err error) error {
	t.linked(link{})
	switch {
	case err == nil && (answer["approved"] == false || answer["cancelled"] == true):
		t.screen.Dim("(rejected; nothing was changed)")
	case err == nil:
	case remote.CodeOf(err) == "invalid" && !t.yes && !t.no:
		t.screen.Line("%v", err) // the answer was invalid: the question stays open
		q.values = map[string]any{}
		if _, edited := answer["edits"]; edited && !t.script {
			q.refused(err)
			if editor() != "" {
				edit(ctx, t, q)
			}
		}
		return nil
	case remote.CodeOf(err) == "validation_resolved" || remote.CodeOf(err) == "validation_stale":
		t.screen.Dim("(%v)", err)
	default:
		return t.failed(err)
	}
	t.open = slices.DeleteFunc(t.open, func(o *asking) bool { return o == q })
	if t.awaited == 0 && t.status != api.StatusIdle {
		t.awaited = 1 // the session continues: a script waits until it rests again
	}
	return nil
}
