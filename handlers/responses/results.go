package responses

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// submitResults submits tool results. previous is the response that the client names, and name the session;
// "" for none.
func (c *Config) submitResults(ctx context.Context, x *rounds.Round, results *rounds.Results, previous, name string) error {
	results, err := results.Latest(ctx, x.Approvals, x.Caller.Workspace)
	if err != nil {
		return err
	}
	asked, err := results.Approval(ctx, x.Approvals, x.Caller.Workspace)
	if err != nil {
		return err
	}
	if previous != "" {
		session, _, err := c.findMessage(ctx, x, previous)
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound:
			return errNoPrevious
		case err != nil:
			return err
		case session.ID != asked.SessionID:
			return resultsOfAnotherSession("/previous_response_id")
		}
	}
	if name != "" && name != asked.SessionID {
		session, err := x.Record.Session(ctx, x.Caller.Workspace, asked.SessionID)
		if err != nil {
			return err
		}
		if name != session.ExternalID {
			return resultsOfAnotherSession("/conversation")
		}
	}
	return x.SubmitAsMessage(ctx, results, asked)
}

// resultsOfAnotherSession is the error for results that belong to another session than the named
// one.
func resultsOfAnotherSession(pointer string) error {
	return domain.Invalid(pointer, "contradiction", "These are results of another session's calls. Nothing was changed.")
}
