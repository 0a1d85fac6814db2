package cli

import (
	"bufio"
	"errors"

	"github.com/fermata-dev/fermata/api"
)

// errUndecided: whoever was asked closed the input.
var errUndecided = errors.New("nothing was decided; it waits on")

// decide gives the answer: what the flags say, and where they say nothing and a person types,
// what they say to what is shown.
func (c *approveCommand) decide(cc *Context, a *api.Approval) (map[string]any, error) {
	said := c.Yes || c.No || c.Cancel || c.Comment != "" || c.Value != "" || c.Outcome != "" || c.Limit != 0 || len(c.Only) > 0
	if said || !cc.Interactive || c.Output == "json" {
		return c.answer(a)
	}
	s := screen{out: cc.Errors}
	for _, line := range cardLines(a) {
		s.line("%s", line)
	}
	lines := bufio.NewScanner(cc.In)
	for q := newAsking(a); ; {
		s.ask(q.question())
		if !lines.Scan() {
			s.end()
			return nil, errors.Join(errUndecided, lines.Err())
		}
		s.took(lines.Text())
		answer, problem := q.feed(lines.Text())
		if answer != nil {
			return answer, nil
		}
		if problem != "" {
			s.line("%s", problem)
		}
	}
}
