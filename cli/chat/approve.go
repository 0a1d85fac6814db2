package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// ApproveCommand lists open approvals and questions, or answers one.
type ApproveCommand struct {
	command.ClientFlags `embed:""`
	Approval            string   `arg:"" optional:"" help:"The approval to answer; default: list the open ones."`
	Yes                 bool     `help:"Approve without asking." short:"y" xor:"answer"`
	No                  bool     `help:"Reject it." xor:"answer"`
	Edit                bool     `help:"Edit the actions first, in $VISUAL or $EDITOR; then ask, or with --yes approve."`
	Comment             string   `help:"A comment with the answer; with --no the AI reads it and continues. It decides nothing by itself." short:"m"`
	Only                []string `help:"Approve only these actions (their numbers or ids)."`
	Value               string   `help:"Answer to a question: text, or JSON for a list or a form."`
	Cancel              bool     `help:"Leave a question unanswered."`
	Limit               float64  `help:"The new limit of a budget."`
	Outcome             string   `help:"What happened to a call: happened, did_not, or run_again to run it again." enum:",happened,did_not,run_again" default:""`
}

// Run lists or answers.
func (c *ApproveCommand) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	if c.Approval == "" {
		return c.list(cc, client)
	}
	var approval api.Approval
	path := "/v1/approvals/" + url.PathEscape(c.Approval)
	if err := client.Call(cc, http.MethodGet, path, nil, &approval); err != nil {
		return err
	}
	decided, err := c.decision(cc, &approval)
	if err != nil {
		return err
	}
	var result api.AnswerResult
	for again := true; again; {
		answer, err := decided.answer()
		if err != nil {
			return err
		}
		if err = client.Call(cc, http.MethodPost, path, answer, &result); err == nil {
			break
		}
		var stopped error
		if again, stopped = decided.again(answer, err); !again {
			return err
		} else if stopped != nil {
			return stopped
		}
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, result)
	}
	status := "taken"
	if result.Approval != nil {
		status = string(result.Approval.Status)
	}
	_, err = fmt.Fprintf(cc.Out, "%s: %s; the session is in %s\n", approval.ID, status, result.Session.Phase)
	return err
}

func (c *ApproveCommand) list(cc *command.Context, client *remote.Client) error {
	open, err := remote.List[api.Approval](cc, client, "/v1/approvals", url.Values{"status": {"open"}}, remote.Everything)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, open)
	}
	s := command.Screen{Out: cc.Out}
	for i := range open {
		for _, line := range cardLines(&open[i]) {
			s.Line("%s", line)
		}
	}
	if len(open) == 0 {
		s.Line("There are no open approvals.")
	}
	return nil
}

// byFlags builds the answer to the approval's kind from the flags.
func (c *ApproveCommand) byFlags(a *api.Approval) (map[string]any, error) {
	switch a.Kind {
	case api.ApprovalQuestion:
		return c.reply(a)
	case api.ApprovalCompletion:
		return withComment(map[string]any{"confirmed": !c.No}, c.Comment), nil
	case api.ApprovalOutcome:
		if c.Outcome == "" {
			return nil, errors.New("this is about a call with an unknown outcome: use --outcome happened, did_not or run_again")
		}
		return map[string]any{"outcome": c.Outcome}, nil
	case api.ApprovalActions:
		answer := withComment(map[string]any{"approved": !c.No}, c.Comment)
		if len(c.Only) > 0 {
			ids, err := c.only(a.Actions)
			if err != nil {
				return nil, err
			}
			answer["approved_ids"] = ids
		}
		return answer, nil
	}
	answer := map[string]any{"approved": !c.No}
	if c.Limit > 0 {
		answer["limit"] = c.Limit
	}
	return answer, nil
}

func (c *ApproveCommand) only(actions []api.ApprovalAction) ([]string, error) {
	var ids []string
	for _, wanted := range c.Only {
		found := ""
		for i, action := range actions {
			if wanted == action.ID || wanted == strconv.Itoa(i+1) {
				found = action.ID
			}
		}
		if found == "" {
			return nil, fmt.Errorf("there is no action %q; this approval has %d", wanted, len(actions))
		}
		ids = append(ids, found)
	}
	return ids, nil
}

func (c *ApproveCommand) reply(a *api.Approval) (map[string]any, error) {
	switch {
	case c.Cancel:
		return map[string]any{"cancelled": true}, nil
	case yesOrNo(a.Module):
		return map[string]any{"value": !c.No}, nil
	case c.Value == "":
		return nil, errors.New("this is a question: answer it with --value, or skip it with --cancel")
	}
	// Only a list or a form is parsed as JSON: "7" may be the text of an answer.
	if json.Valid([]byte(c.Value)) && (c.Value[0] == '[' || c.Value[0] == '{') {
		return map[string]any{"value": json.RawMessage(c.Value)}, nil
	}
	return map[string]any{"value": c.Value}, nil
}

// Help has examples.
func (ApproveCommand) Help() string {
	return "Without an id it lists the open approvals. Examples:\n\n" +
		"  fermata approve apr_…                   shows it, and asks\n\n" +
		"  fermata approve apr_… --yes             in a script, without a terminal\n\n" +
		"  fermata approve apr_… --no --comment='not this week'"
}
