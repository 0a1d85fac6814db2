package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
)

// asking is an open approval or question, until it is answered.
type asking struct {
	approval *api.Approval
	form     []formField // the fields of a Form, answered one by one
	values   map[string]any
	sent     bool // its answer is being sent
	edits    edits
}

func newAsking(a *api.Approval) *asking {
	q := &asking{approval: a, values: map[string]any{}}
	if a.Module != nil && a.Module.Type == "Form" {
		q.form = formFields(a.Module.Data)
	}
	return q
}

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
		t.screen.ask("")
		t.screen.dim("(settled elsewhere: %s)", a.Status)
	}
}

// prompt displays the oldest open question, or answers it by the flags.
func (t *chatLoop) prompt(ctx context.Context) error {
	if t.prompted != nil || len(t.open) == 0 || t.open[0].sent {
		return nil
	}
	q := t.open[0]
	t.screen.line("%s", strings.Join(append(cardLines(q.approval), q.editLines()...), "\n"))
	if t.yes || t.no {
		if answer := q.byFlag(t.yes); answer != nil {
			t.screen.dim("(%s by flag)", map[bool]string{true: "approved", false: "rejected"}[t.yes])
			return t.send(ctx, q, answer)
		}
	} else if t.script && q.approval.Kind != api.ApprovalQuestion {
		return t.unanswered(q)
	}
	t.prompted = q
	t.put(q.question())
	return nil
}

// byFlag is the answer given by --yes or --no; nil if neither is an answer to this question.
func (q *asking) byFlag(yes bool) map[string]any {
	switch q.approval.Kind {
	case api.ApprovalQuestion:
		if yesOrNo(q.approval.Module) {
			return map[string]any{"value": yes}
		}
		if !yes {
			return map[string]any{"cancelled": true}
		}
		return nil
	case api.ApprovalCompletion:
		return map[string]any{"confirmed": yes}
	case api.ApprovalOutcome:
		return nil
	}
	return map[string]any{"approved": yes}
}

func yesOrNo(m *api.Module) bool {
	return m != nil && (m.Type == "Validation" || m.Type == "Plan")
}

// reply handles an answer that was typed. If it is not understood, the question is displayed again.
func (t *chatLoop) reply(ctx context.Context, q *asking, text string) error {
	if t.script {
		t.screen.text(text + "\n") // the input of a script is not echoed by a terminal
	}
	if !t.script && q.wantsEdit(text) {
		edit(ctx, t, q)
		t.put(q.question())
		return nil
	}
	answer, problem := q.feed(text)
	if answer == nil {
		if problem != "" {
			t.screen.line("%s", problem)
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
		t.screen.dim("(rejected; nothing was changed)")
	case err == nil:
	case codeOf(err) == "invalid" && !t.yes && !t.no:
		t.screen.line("%v", err) // the answer was invalid: the question stays open
		q.values = map[string]any{}
		if _, edited := answer["edits"]; edited && !t.script {
			q.refused(err)
			if editor() != "" {
				edit(ctx, t, q)
			}
		}
		return nil
	case codeOf(err) == "validation_resolved" || codeOf(err) == "validation_stale":
		t.screen.dim("(%v)", err)
	default:
		return t.failed(err)
	}
	t.open = slices.DeleteFunc(t.open, func(o *asking) bool { return o == q })
	if t.awaited == 0 && t.status != api.StatusIdle {
		t.awaited = 1 // the session continues: a script waits until it rests again
	}
	return nil
}

// question is the question, on one line.
func (q *asking) question() string {
	a := q.approval
	if len(q.edits.asked) > 0 {
		return q.edits.asked[0].question()
	}
	switch a.Kind {
	case api.ApprovalQuestion:
		return q.moduleQuestion()
	case api.ApprovalOutcome:
		return "Did it happen? [yes / no / again]"
	case api.ApprovalClientCalls:
		return "The result comes from another program. Stop waiting for it? [n: stop]"
	case api.ApprovalReconnect:
		return "Signed in: try again? [y / n: continue without]"
	case api.ApprovalCompletion:
		return "Is it finished? [y / n / what is missing]"
	case api.ApprovalActions:
		approve := map[bool]string{true: "Approve as edited?", false: "Approve?"}[len(q.edits.params) > 0]
		if len(a.Actions) > 1 {
			return approve + " [y / n / edit / some: 1,3 / n and a comment]"
		}
		return approve + " [y / n / edit / n and a comment]"
	}
	return "Continue? [y / n]"
}

func (q *asking) moduleQuestion() string {
	switch m := q.approval.Module; {
	case m == nil:
		return "Your answer:"
	case yesOrNo(m):
		return "[y / n, or /cancel]"
	case m.Type == "MultipleChoice" && choiceOf(m.Data).Multiple:
		return "Numbers like 1,3 (or /cancel):"
	case m.Type == "MultipleChoice":
		return "Number (or /cancel):"
	case m.Type == "Form" && len(q.values) < len(q.form):
		return q.form[len(q.values)].ask()
	}
	return "Your answer (or /cancel):"
}

// feed parses a line; nil if more input is needed; problem explains an invalid line.
func (q *asking) feed(text string) (answer map[string]any, problem string) {
	if len(q.edits.asked) > 0 {
		return nil, q.feedLine(text)
	}
	answer, problem = q.understand(text)
	return q.withEdits(answer), problem
}

func (q *asking) understand(text string) (answer map[string]any, problem string) {
	yes, no, rest := yesNo(text)
	switch q.approval.Kind {
	case api.ApprovalQuestion:
		return q.feedModule(text)
	case api.ApprovalOutcome:
		outcome := map[string]string{"y": "happened", "yes": "happened", "n": "did_not", "no": "did_not",
			"again": "run_again"}[strings.ToLower(text)]
		if outcome == "" {
			return nil, "Please enter yes, no or again."
		}
		return map[string]any{"outcome": outcome}, ""
	case api.ApprovalCompletion:
		if yes {
			return map[string]any{"confirmed": true}, ""
		}
		return withComment(map[string]any{"confirmed": false}, cmp.Or(rest, map[bool]string{false: text}[no])), ""
	case api.ApprovalActions:
		if ids, ok := pick(text, q.approval.Actions); ok {
			return map[string]any{"approved": true, "approved_ids": ids}, ""
		}
	}
	switch {
	case yes:
		return map[string]any{"approved": true}, ""
	case no:
		return withComment(map[string]any{"approved": false}, rest), ""
	}
	return nil, "Please enter y or n. Nothing has been done."
}

func withComment(answer map[string]any, comment string) map[string]any {
	if comment != "" {
		answer["comment"] = comment
	}
	return answer
}

// yesNo parses yes, or no followed by a comment, in English or French.
func yesNo(text string) (yes, no bool, rest string) {
	first, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(strings.TrimRight(first, ",:;.!")) {
	case "y", "yes", "o", "oui":
		return rest == "", false, rest // "yes, if ..." is not an approval
	case "n", "no", "non":
		return false, true, rest
	}
	return false, false, ""
}

// pick parses numbers of actions.
func pick(text string, actions []api.ApprovalAction) (ids []string, ok bool) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > len(actions) {
			return nil, false
		}
		ids = append(ids, actions[n-1].ID)
	}
	return ids, len(ids) > 0
}

func (q *asking) feedModule(text string) (answer map[string]any, problem string) {
	if text == "/cancel" {
		return map[string]any{"cancelled": true}, ""
	}
	m := q.approval.Module
	switch {
	case m == nil:
	case yesOrNo(m):
		yes, no, _ := yesNo(text)
		if !yes && !no {
			return nil, "Please enter y or n, or /cancel."
		}
		return map[string]any{"value": yes}, ""
	case m.Type == "MultipleChoice":
		value, problem := choiceOf(m.Data).read(text)
		if problem != "" {
			return nil, problem
		}
		return map[string]any{"value": value}, ""
	case m.Type == "Form" && len(q.values) < len(q.form):
		return q.feedField(text)
	}
	return map[string]any{"value": text}, ""
}
