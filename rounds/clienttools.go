package rounds

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
)

// A client's own tools, whatever the protocol.

// Catalogue lists the commands of a workspace.
type Catalogue interface {
	Commands(ctx context.Context, workspace string) ([]domain.CommandSpec, error)
}

// Answerer is the part of the one door that answers come through.
type Answerer interface {
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// CheckTools refuses tools that cannot be offered in a session. pointer says where one stands in
// the request.
func CheckTools(ctx context.Context, c Catalogue, workspace string, tools []domain.ClientTool, pointer func(int) string) error {
	commands, err := c.Commands(ctx, workspace)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for i := range commands {
		taken[commands[i].WireName()] = true
	}
	return domain.CheckClientTools(tools, pointer, func(name string) bool { return taken[name] })
}

// NoParams are the parameters of a tool that takes none.
var NoParams = json.RawMessage(`{"type":"object","properties":{}}`)

// Arguments are those of a call, as JSON in any case.
func Arguments(params json.RawMessage) string {
	if !json.Valid(params) {
		return "{}"
	}
	return string(params)
}

// Results are what a client brings for calls of its tools: what came of each, under the id that
// it was given, and where the request has it.
type Results struct{ IDs, Texts, Pointers []string }

// Add takes one up.
func (r *Results) Add(id, text, at string) {
	r.IDs, r.Texts, r.Pointers = append(r.IDs, id), append(r.Texts, text), append(r.Pointers, at)
}

// ReadsApprovals reads one approval.
type ApprovalByID interface {
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
}

// Asked is the approval that waits for the results, or has waited.
func (r *Results) Approval(ctx context.Context, record ApprovalByID, workspace string) (*domain.Approval, error) {
	return r.approvalOf(ctx, record, workspace, 0)
}

// asked is the approval of one of the results.
func (r *Results) approvalOf(ctx context.Context, record ApprovalByID, workspace string, i int) (*domain.Approval, error) {
	unknown := domain.Invalid(r.Pointers[i], "unknown_call", "%.80q is no call that this server has made. Nothing was changed.", r.IDs[i])
	id, _, ok := domain.ClientCallOf(r.IDs[i])
	if !ok {
		return nil, unknown
	}
	a, err := record.Approval(ctx, workspace, id)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return nil, unknown
	case err != nil:
		return nil, err
	case a.Kind != domain.ApprovalClientCalls:
		return nil, unknown
	}
	return a, nil
}

// maxEarlier is how many waits before the latest one are looked at: a body has room for a hundred
// thousand, and each is a look into the database.
const maxEarlierWaits = 20

// Newest are the results for the latest wait. Clients send their history along, and calls of one
// session may follow each other without a word between them: what is left out was answered before.
// Of that the last few are looked at, so that results for two waits at once are told as a mistake.
func (r *Results) Latest(ctx context.Context, record ApprovalByID, workspace string) (*Results, error) {
	latest, _, ok := domain.ClientCallOf(r.IDs[len(r.IDs)-1])
	if !ok {
		return r, nil // unknown, which is told of it
	}
	newest, seen := &Results{}, map[string]bool{}
	var earlier []int // the first result of each wait before
	for i, id := range r.IDs {
		if of, _, ok := domain.ClientCallOf(id); ok && of != latest {
			if !seen[of] {
				seen[of], earlier = true, append(earlier, i)
			}
			continue
		}
		newest.Add(id, r.Texts[i], r.Pointers[i])
	}
	if len(earlier) == 0 {
		return r, nil
	}
	approval, err := newest.Approval(ctx, record, workspace)
	if err != nil {
		return nil, err
	}
	for _, i := range earlier[max(0, len(earlier)-maxEarlierWaits):] {
		before, err := r.approvalOf(ctx, record, workspace, i)
		if err != nil {
			return nil, err
		}
		if before.SessionID != approval.SessionID || before.Status == domain.ApprovalStatusOpen {
			return nil, domain.Invalid(r.Pointers[i], "unknown_call", "%.80q is of another wait. Nothing was changed.", r.IDs[i])
		}
	}
	return newest, nil
}

// Bring gives the session the results. The same ones again are no error. request is what is kept
// of what came with them, in JSON.
func (r *Results) Submit(ctx context.Context, answerer Answerer, approval *domain.Approval, by domain.Author, request string) error {
	results, err := domain.ClientResultsFor(approval, r.IDs, r.Texts, func(i int) string { return r.Pointers[i] })
	if err != nil {
		return err
	}
	_, err = answerer.AnswerApproval(ctx, approval.WorkspaceID, approval.ID, domain.Decision{
		Approved: true, Results: results, By: by, Request: request,
	})
	return err
}

// ReadsResults reads a session and its messages.
type ResultsReader interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
}

// Placed is the message that brings the results, with the session as it was before it was read.
// A session that was set aside takes them up later: then the message has no number yet.
func ResultsMessage(ctx context.Context, record ResultsReader, approval *domain.Approval) (*domain.Session, *domain.Message, error) {
	session, err := record.Session(ctx, approval.WorkspaceID, approval.SessionID)
	if err != nil {
		return nil, nil, err
	}
	id := domain.ClientResultsID(approval.ID)
	message, err := record.Message(ctx, approval.WorkspaceID, approval.SessionID, id)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return session, &domain.Message{
			ID: id, WorkspaceID: approval.WorkspaceID, SessionID: approval.SessionID, RoundID: approval.RoundID,
			Timestamp: approval.CreatedAt,
		}, nil
	}
	return session, message, err
}
