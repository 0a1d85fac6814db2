package chat

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// errUndecided: the input ended before an answer was given.
var errUndecided = errors.New("nothing was decided; the approval stays open")

// decision determines the answer to one approval: by the flags, or else by asking the person, if there is
// one.
type decision struct {
	*ApproveCommand
	cc    *command.Context
	q     *asking
	s     command.Screen
	lines *bufio.Scanner
	shown bool
}

func (c *ApproveCommand) decision(cc *command.Context, a *api.Approval) (*decision, error) {
	if err := c.misplaced(a.Kind); err != nil {
		return nil, err
	}
	if !c.decided() && (!cc.Interactive || c.Output == "json") {
		return nil, c.undecided(cc, a)
	}
	d := &decision{ApproveCommand: c, cc: cc, q: newAsking(a), s: command.Screen{Out: cc.Errors}, lines: bufio.NewScanner(cc.In)}
	switch {
	case !c.Edit:
		return d, nil
	case c.No || c.Cancel:
		return nil, command.Misused(errors.New("--edit only applies to an approval: omit --no and --cancel"))
	case !d.q.editable():
		return nil, command.Misused(errors.New("only changes can be edited, and this is not a change"))
	case editor() == "" && !d.asks():
		return nil, command.Misused(errors.New("there is no editor: set VISUAL or EDITOR"))
	}
	return d, d.edit()
}

// misplaced rejects a flag that answers another kind of approval.
func (c *ApproveCommand) misplaced(kind api.ApprovalKind) error {
	for _, f := range []struct {
		name  string
		given bool
		kind  api.ApprovalKind
	}{
		{"--value", c.Value != "", api.ApprovalQuestion}, {"--cancel", c.Cancel, api.ApprovalQuestion},
		{"--outcome", c.Outcome != "", api.ApprovalOutcome}, {"--limit", c.Limit != 0, api.ApprovalBudget},
		{"--only", len(c.Only) > 0, api.ApprovalActions},
	} {
		if f.given && f.kind != kind {
			return command.Misused(fmt.Errorf("%s does not apply to this approval: its kind is %s. Nothing was decided", f.name, kind))
		}
	}
	return nil
}

// decided reports whether the flags decide. A comment alone does not.
func (c *ApproveCommand) decided() bool {
	return c.Yes || c.No || c.Cancel || c.Value != "" || c.Outcome != "" || c.Limit != 0 || len(c.Only) > 0
}

// asks reports whether there is a question to the person.
func (d *decision) asks() bool { return !d.decided() }

// undecided displays the approval if the person cannot be asked, and reports which flag is missing. The
// input is not read as a decision.
func (c *ApproveCommand) undecided(cc *command.Context, a *api.Approval) error {
	if a.Status != "open" {
		return fmt.Errorf("nothing was decided: this is already settled (%s)", a.Status)
	}
	if c.Output == "json" {
		if err := command.PrintJSON(cc.Out, a); err != nil {
			return err
		}
	} else {
		s := command.Screen{Out: cc.Out}
		for _, line := range cardLines(a) {
			s.Line("%s", line)
		}
	}
	return command.Misused(fmt.Errorf("nothing was decided, because the input is not a terminal: add %s", missing(a)))
}

// missing are the flags that answer an approval.
func missing(a *api.Approval) string {
	switch {
	case a.Kind == api.ApprovalOutcome:
		return "--outcome (happened, did_not or run_again)"
	case a.Kind == api.ApprovalQuestion && !yesOrNo(a.Module):
		return "--value or --cancel"
	case a.Kind == api.ApprovalQuestion:
		return "--yes, --no or --cancel"
	case a.Kind == api.ApprovalBudget:
		return "--yes, --no or --limit"
	case a.Kind == api.ApprovalActions:
		return "--yes, --no or --only"
	}
	return "--yes or --no"
}

// edit opens the editor. If no question follows, the edit must be valid.
func (d *decision) edit() error {
	if editor() == "" {
		d.s.Line("(value by value: neither VISUAL nor EDITOR is set)")
		d.q.askLines()
		return nil
	}
	err := d.q.edit(d.cc, func(cmd *exec.Cmd) error {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = d.cc.In, d.cc.Errors, d.cc.Errors
		if d.cc.Terminal {
			cmd.Stdout = d.cc.Out
		}
		return cmd.Run()
	})
	if err != nil && !d.asks() {
		return errors.Join(errUndecided, err)
	}
	if err != nil {
		d.s.Line("(%v; nothing was decided)", err)
		return nil
	}
	d.s.Line("%s", strings.Join(d.q.editLines(), "\n"))
	return nil
}

// answer is the request body that answers the approval.
func (d *decision) answer() (map[string]any, error) {
	if !d.asks() {
		answer, err := d.byFlags(d.q.approval)
		return d.q.withEdits(answer), err
	}
	if !d.shown {
		d.shown = true
		for _, line := range append(cardLines(d.q.approval), d.q.editLines()...) {
			d.s.Line("%s", line)
		}
	}
	for {
		d.s.Ask(d.q.question())
		if !d.lines.Scan() {
			d.s.End()
			return nil, errors.Join(errUndecided, d.lines.Err())
		}
		text := d.lines.Text()
		d.s.Took(text)
		if d.q.wantsEdit(text) {
			if err := d.edit(); err != nil {
				return nil, err
			}
			continue
		}
		answer, problem := d.q.feed(text)
		if answer != nil {
			return d.withWord(answer), nil
		}
		if problem != "" {
			d.s.Line("%s", problem)
		}
	}
}

// withWord adds the comment of --comment if the answer has none.
func (d *decision) withWord(answer map[string]any) map[string]any {
	kind := d.q.approval.Kind
	if answer["comment"] != nil || kind != api.ApprovalActions && kind != api.ApprovalCompletion {
		return answer
	}
	return withComment(answer, d.Comment)
}

// again reopens the editor for edits that the server rejected; false: the error has another cause.
func (d *decision) again(answer map[string]any, err error) (bool, error) {
	if _, edited := answer["edits"]; !edited || remote.CodeOf(err) != "invalid" {
		return false, nil
	}
	d.s.Line("%v", err)
	d.q.refused(err)
	if editor() == "" && d.asks() {
		return true, nil // asked again, with the text as typed
	}
	return true, d.edit()
}
