package rounds

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
)

// Tools of clients, in all protocols.

// Catalogue lists the commands of a workspace.
type Catalogue interface {
	Commands(ctx context.Context, workspace string) ([]domain.CommandSpec, error)
}

// answerer answers approvals.
type answerer interface {
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// CheckTools rejects tools that cannot be offered in a session. pointer returns the JSON pointer of
// a tool in the request.
func CheckTools(ctx context.Context, c Catalogue, workspace string, tools []domain.ClientTool, pointer func(int) string) error {
	commands, err := c.Commands(ctx, workspace)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for i := range commands {
		taken[commands[i].WireName()] = true
	}
	return checkTools(tools, pointer, func(name string) bool { return taken[name] })
}

// maxToolsBytes limits the tools of a message together, in bytes.
const maxToolsBytes = 64 << 10

// checkTools rejects tools that cannot be offered. pointer locates one in the request; taken reports
// the names of commands.
func checkTools(tools []domain.ClientTool, pointer func(int) string, taken func(string) bool) error {
	if len(tools) > domain.MaxClientTools {
		return domain.Invalid(pointer(domain.MaxClientTools), "too_many", "A request has %d tools at most.", domain.MaxClientTools)
	}
	names, bytes := map[string]bool{}, 0
	for i, tool := range tools {
		var schema map[string]json.RawMessage
		switch {
		case !isToolName(tool.Name):
			return domain.Invalid(pointer(i), "not_a_name", "The name of a tool has up to %d letters, digits, dashes and underscores.", domain.MaxWireName)
		case names[tool.Name]:
			return domain.Invalid(pointer(i), "not_unique", "There are two tools with the name %s.", tool.Name)
		case taken(tool.Name):
			return domain.Invalid(pointer(i), "name_taken", "%s is the name of a command of this server. Give the tool another name.", tool.Name)
		case json.Unmarshal(tool.Params, &schema) != nil:
			return domain.Invalid(pointer(i), "wrong_type", "The parameters of the tool %s take a JSON Schema, an object.", tool.Name)
		}
		names[tool.Name] = true
		if bytes += len(tool.Name) + len(tool.Description) + len(tool.Params); bytes > maxToolsBytes {
			return domain.Invalid(pointer(i), "too_long", "The tools of a request have %d KiB together at most.", maxToolsBytes>>10)
		}
	}
	return nil
}

func isToolName(name string) bool {
	for _, r := range name {
		if r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return name != "" && len(name) <= domain.MaxWireName
}

// sameFormat reports whether two requests ask for the same format of the answer.
func sameFormat(a, b *domain.ClientTools) bool {
	schemaOf := func(t *domain.ClientTools) string {
		if t == nil || t.Answer == nil {
			return ""
		}
		return string(t.Answer.Schema)
	}
	return schemaOf(a) == schemaOf(b)
}

// NoParams is the schema of a tool without parameters.
var NoParams = json.RawMessage(`{"type":"object","properties":{}}`)

// Arguments returns the arguments of a call; "{}" if they are not valid JSON.
func Arguments(params json.RawMessage) string {
	if !json.Valid(params) {
		return "{}"
	}
	return string(params)
}

// Results are the results of a client's tools: the ids of their calls, their texts and their JSON
// pointers in the request.
type Results struct{ IDs, Texts, Pointers []string }

// Add appends a result.
func (r *Results) Add(id, text, at string) {
	r.IDs, r.Texts, r.Pointers = append(r.IDs, id), append(r.Texts, text), append(r.Pointers, at)
}

// approvalByID reads one approval.
type approvalByID interface {
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
}

// Approval returns the approval that waits for the results, or has waited for them.
func (r *Results) Approval(ctx context.Context, record approvalByID, workspace string) (*domain.Approval, error) {
	return r.approvalOf(ctx, record, workspace, 0)
}

// approvalOf returns the approval of one of the results.
func (r *Results) approvalOf(ctx context.Context, record approvalByID, workspace string, i int) (*domain.Approval, error) {
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

// maxEarlierWaits limits the earlier waits that are checked: a body has room for a hundred thousand,
// and each check is a database query.
const maxEarlierWaits = 20

// Latest returns the results for the latest wait. Clients repeat their history, and calls of one
// session may follow each other without text between them: earlier results were submitted before.
// The last few of those are checked, so that results for two open waits are rejected.
func (r *Results) Latest(ctx context.Context, record approvalByID, workspace string) (*Results, error) {
	latest, _, ok := domain.ClientCallOf(r.IDs[len(r.IDs)-1])
	if !ok {
		return r, nil // unknown: Approval returns the error
	}
	newest, seen := &Results{}, map[string]bool{}
	var earlier []int // the first result of each earlier wait
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

// Submit answers the approval with the results. Submitting the same ones again is no error. request
// is what is stored of the request that brought them, in JSON.
func (r *Results) Submit(ctx context.Context, answerer answerer, approval *domain.Approval, by domain.Author, request string) error {
	results, err := domain.ClientResultsFor(approval, r.IDs, r.Texts, func(i int) string { return r.Pointers[i] })
	if err != nil {
		return err
	}
	_, err = answerer.AnswerApproval(ctx, approval.WorkspaceID, approval.ID, domain.Decision{
		Approved: true, Results: results, By: by, Request: request,
	})
	return err
}

// resultsReader reads a session and its messages.
type resultsReader interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
}

// ResultsMessage returns the message with the results, and the session as it was before that message
// was read. A session that was set aside processes the results later: the message has no sequence
// number until then.
func ResultsMessage(ctx context.Context, record resultsReader, approval *domain.Approval) (*domain.Session, *domain.Message, error) {
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
