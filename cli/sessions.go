package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/shorten"
)

type sessionsList struct {
	clientFlags `embed:""`
	Type        string `help:"Only this type: CHAT, SEED, AUTOMATION or AGENT." enum:",CHAT,SEED,AUTOMATION,AGENT" default:""`
	Status      string `help:"Only this status: idle, queued, running, requires_action, waiting, suspended or ended." enum:",idle,queued,running,requires_action,waiting,suspended,ended" default:""`
	Query       string `help:"Part of the name." short:"q"`
	Limit       int    `help:"Maximum number of sessions, newest first." default:"50" short:"n"`
}

// Run prints the sessions.
func (c *sessionsList) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	query := url.Values{}
	for name, value := range map[string]string{"type": c.Type, "status": c.Status, "q": c.Query} {
		if value != "" {
			query.Set(name, value)
		}
	}
	sessions, err := list[api.Session](cc, client, "/v1/sessions", query, c.Limit)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, sessions)
	}
	rows := make([][]string, len(sessions))
	for i, s := range sessions {
		name := shorten.Characters(s.Name, 50)
		rows[i] = []string{s.ID, string(s.Type), string(s.Status), string(s.Phase), clockTime(s.LastEventTime), name}
	}
	return table(cc.Out, []string{"ID", "TYPE", "STATUS", "PHASE", "LAST EVENT", "NAME"}, rows)
}

type sessionsWhy struct {
	clientFlags `embed:""`
	Session     string `arg:"" help:"The session's id."`
}

// Run prints the server's explanation.
func (c *sessionsWhy) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	var why api.Explanation
	if err := client.call(cc, http.MethodGet, "/v1/sessions/"+url.PathEscape(c.Session)+"/explain", nil, &why); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, why)
	}
	s := screen{out: cc.Out}
	s.line("%s: %s, in %s since %s", why.SessionID, why.Status, why.Phase, clockTime(why.Since))
	s.line("%s", why.Text)
	if problem := why.WaitingFor.LastError; problem != nil {
		s.line("Last error: %s", *problem)
	}
	if answer := why.LatestAnswer; answer != nil {
		s.line("%s: %s", answer.MessageID, answer.Text)
	}
	return nil
}

// approveCommand lists open approvals and questions, or answers one.
type approveCommand struct {
	clientFlags `embed:""`
	Approval    string   `arg:"" optional:"" help:"The approval to answer; default: list the open ones."`
	Yes         bool     `help:"Approve without asking." short:"y" xor:"answer"`
	No          bool     `help:"Reject it." xor:"answer"`
	Edit        bool     `help:"Edit the actions first, in $VISUAL or $EDITOR; then ask, or with --yes approve."`
	Comment     string   `help:"A comment with the answer; with --no the AI reads it and continues. It decides nothing by itself." short:"m"`
	Only        []string `help:"Approve only these actions (their numbers or ids)."`
	Value       string   `help:"Answer to a question: text, or JSON for a list or a form."`
	Cancel      bool     `help:"Leave a question unanswered."`
	Limit       float64  `help:"The new limit of a budget."`
	Outcome     string   `help:"What happened to a call: happened, did_not, or run_again to run it again." enum:",happened,did_not,run_again" default:""`
}

// Run lists or answers.
func (c *approveCommand) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	if c.Approval == "" {
		return c.list(cc, client)
	}
	var approval api.Approval
	path := "/v1/approvals/" + url.PathEscape(c.Approval)
	if err := client.call(cc, http.MethodGet, path, nil, &approval); err != nil {
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
		if err = client.call(cc, http.MethodPost, path, answer, &result); err == nil {
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
		return printJSON(cc.Out, result)
	}
	status := "taken"
	if result.Approval != nil {
		status = string(result.Approval.Status)
	}
	_, err = fmt.Fprintf(cc.Out, "%s: %s; the session is in %s\n", approval.ID, status, result.Session.Phase)
	return err
}

func (c *approveCommand) list(cc *Context, client *client) error {
	open, err := list[api.Approval](cc, client, "/v1/approvals", url.Values{"status": {"open"}}, everything)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, open)
	}
	s := screen{out: cc.Out}
	for i := range open {
		for _, line := range cardLines(&open[i]) {
			s.line("%s", line)
		}
	}
	if len(open) == 0 {
		s.line("There are no open approvals.")
	}
	return nil
}

// byFlags builds the answer to the approval's kind from the flags.
func (c *approveCommand) byFlags(a *api.Approval) (map[string]any, error) {
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

func (c *approveCommand) only(actions []api.ApprovalAction) ([]string, error) {
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

func (c *approveCommand) reply(a *api.Approval) (map[string]any, error) {
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
