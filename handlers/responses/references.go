package responses

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// referenceResolver finds the items that a request refers to by their ids, which are stored items of this
// server.
type referenceResolver struct {
	*Config
	workspace string
	sessions  []string // searched first
}

// resolve replaces each reference by the referenced text.
func (r *referenceResolver) resolve(ctx context.Context, all []inputItem) error {
	for i := range all {
		m := &all[i]
		if m.ref == "" {
			continue
		}
		found, err := r.item(ctx, m)
		if err == nil && !found {
			err = domain.Invalid(m.At+"/id", "unknown_item", "There is no item %.80q here. Send the item itself. Nothing was stored.", m.ref)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// item finds the referenced item: a call of a client's tool, the text of an approval, or an answer,
// whose text is used.
func (r *referenceResolver) item(ctx context.Context, m *inputItem) (bool, error) {
	prefix, rest, _ := strings.Cut(m.ref, "_")
	rest = strings.TrimSuffix(rest, "_refused")
	approval := domain.PrefixApproval + "_" + rest
	if prefix == "fc" || prefix == "fco" {
		m.isCall = true
		of, _, ok := domain.ClientCallOf("call_" + rest)
		if !ok {
			return false, nil
		}
		approval = of
	}
	_, err := r.Approvals.Approval(ctx, r.workspace, approval)
	if err == nil || rounds.IgnoreNotFound(err) != nil {
		return err == nil, err
	}
	if prefix != domain.PrefixMessage {
		return false, nil
	}
	if found, err := r.answer(ctx, m); found || err != nil {
		return found, err
	}
	session, err := r.Requests.SessionOf(ctx, r.workspace, m.ref)
	if session == "" || err != nil {
		return false, err
	}
	r.sessions = append(r.sessions, session)
	return r.answer(ctx, m)
}

// answer reads an answer from one of the sessions.
func (r *referenceResolver) answer(ctx context.Context, m *inputItem) (bool, error) {
	for _, session := range r.sessions {
		message, err := r.Record.Message(ctx, r.workspace, session, m.ref)
		if rounds.IgnoreNotFound(err) != nil {
			return false, err
		}
		if err == nil && message.Sender == domain.SenderAI {
			m.Text = rounds.CurrentText(message)
			return true, nil
		}
	}
	return false, nil
}
