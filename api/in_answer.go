package api

import (
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
)

// Domain is the decision on the actions that a session waits for.
func (in *ValidationAnswer) Domain() domain.Decision {
	return domain.Decision{
		ApprovalID: Value(
			in.ApprovalID,
		),
		Approved:    *in.Approved,
		ApprovedIDs: in.ApprovedIDs,
		Edits:       in.Edits,
		Comment:     Value(in.Comment),
		Passkey:     in.Passkey.domain(),
	}
}

// Domain is the answer to a session's question.
func (in *ResponseAnswer) Domain() (domain.Decision, error) {
	cancelled := Value(in.Cancelled)
	return domain.Decision{
		ApprovalID: Value(in.ApprovalID), Approved: !cancelled, Value: in.Value, Cancelled: cancelled,
	}, valueOrCancelled(in.Value, cancelled)
}

func valueOrCancelled(value json.RawMessage, cancelled bool) error {
	switch {
	case cancelled && value != nil:
		return domain.Invalid("/value", "not_allowed", "Send either a value or cancelled.")
	case !cancelled && value == nil:
		return domain.Invalid("/value", "required", "This is needed, or cancelled: true.")
	}
	return nil
}

// Domain is what a person says of a session that is done.
func (in *CompletionAnswer) Domain() domain.Decision {
	return domain.Decision{ApprovalID: Value(in.ApprovalID), Approved: *in.Confirmed, Comment: Value(in.Comment)}
}

// answerFields says which fields an answer to a kind of approval may have; the first one
// is needed.
var answerFields = map[domain.ApprovalKind][]string{
	domain.ApprovalActions:    {"approved", "approved_ids", "edits", "comment", "passkey"},
	domain.ApprovalQuestion:   {"value", "cancelled"},
	domain.ApprovalBudget:     {"approved", "limit"},
	domain.ApprovalCompletion: {"confirmed", "comment"},
	domain.ApprovalOutcome:    {"outcome"},
	domain.ApprovalPoisoned:   {"approved"},
	domain.ApprovalReconnect:  {"approved"},
	// The results come through the door that the program uses.
	domain.ApprovalClientCalls: {"approved"},
}

// Domain is the answer to an approval of a kind.
func (in *ApprovalAnswer) Domain(kind domain.ApprovalKind) (domain.Decision, error) {
	given, err := in.checkFields(kind)
	if err != nil {
		return domain.Decision{}, err
	}
	d := domain.Decision{
		ApprovedIDs: in.ApprovedIDs, Edits: in.Edits, Value: in.Value, Limit: in.Limit, Comment: Value(in.Comment),
		Passkey: in.Passkey.domain(),
	}
	if kind == domain.ApprovalQuestion {
		d.Cancelled = Value(in.Cancelled)
		d.Approved = !d.Cancelled
		return d, valueOrCancelled(in.Value, d.Cancelled)
	}
	if fields := answerFields[kind]; len(fields) > 0 && !given[fields[0]] {
		return d, domain.Invalid("/"+fields[0], "required", "An answer to an approval of kind %s needs %s.", kind, fields[0])
	}
	switch {
	case in.Approved != nil:
		d.Approved = *in.Approved
	case in.Confirmed != nil:
		d.Approved = *in.Confirmed
	case in.Outcome != nil:
		d.Outcome, d.Approved = *in.Outcome, *in.Outcome != "did_not"
	}
	return d, nil
}

// checkFields refuses fields that answers to a kind do not have, and says which are given.
func (in *ApprovalAnswer) checkFields(kind domain.ApprovalKind) (given map[string]bool, err error) {
	allowed := map[string]bool{}
	for _, name := range answerFields[kind] {
		allowed[name] = true
	}
	given = map[string]bool{}
	for _, field := range []struct {
		name  string
		given bool
	}{
		{"approved", in.Approved != nil},
		{"approved_ids", in.ApprovedIDs != nil},
		{"edits", in.Edits != nil},
		{"comment", in.Comment != nil},
		{"value", in.Value != nil},
		{"cancelled", in.Cancelled != nil},
		{"limit", in.Limit != nil},
		{"confirmed", in.Confirmed != nil},
		{"outcome", in.Outcome != nil},
		{"passkey", in.Passkey != nil},
	} {
		if given[field.name] = field.given; field.given && !allowed[field.name] {
			return nil, domain.Invalid("/"+field.name, "not_allowed", "An approval of kind %s takes no %s.", kind, field.name)
		}
	}
	return given, nil
}
