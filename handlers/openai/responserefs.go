package openai

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Clients refer to stored items of this server by their ids.

const itemReference = "item_reference"

// ignoredItems are items of a history that are ignored, because the model needs none of them: calls
// and results of tools that ran elsewhere, and reasoning.
var ignoredItems = map[string]bool{
	"reasoning": true, "compaction": true, "custom_tool_call": true, "custom_tool_call_output": true, "web_search_call": true,
	"file_search_call": true, "code_interpreter_call": true, "image_generation_call": true, "computer_call": true,
	"computer_call_output": true, "local_shell_call": true, "local_shell_call_output": true, "shell_call": true,
	"shell_call_output": true, "apply_patch_call": true, "apply_patch_call_output": true, "mcp_call": true, "mcp_list_tools": true,
	"mcp_approval_request": true, "mcp_approval_response": true, "tool_search_call": true, "tool_search_output": true,
	"compaction_summary": true, "context_compaction": true, "configuration_update": true,
}

// kind returns the type of an item, which clients leave out of messages and references.
func (m *inputItem) kind() string {
	switch {
	case m.Type != "":
		return m.Type
	case m.ID != "" && m.Role == "" && len(m.Content) == 0:
		return itemReference
	}
	return "message"
}

// referenceResolver finds the items that a request refers to.
type referenceResolver struct {
	*Config
	workspace string
	sessions  []string // searched first
}

// resolve replaces each reference by the referenced text.
func (r *referenceResolver) resolve(ctx context.Context, all []inputMessage) error {
	for i := range all {
		m := &all[i]
		if m.ref == "" {
			continue
		}
		found, err := r.item(ctx, m)
		if err == nil && !found {
			err = domain.Invalid(m.at+"/id", "unknown_item", "There is no item %.80q here. Send the item itself. Nothing was stored.", m.ref)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// item finds the referenced item: a call of a client's tool, the text of an approval, or an answer,
// whose text is used.
func (r *referenceResolver) item(ctx context.Context, m *inputMessage) (bool, error) {
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
	_, err := r.Record.Approval(ctx, r.workspace, approval)
	if err == nil || ignoreNotFound(err) != nil {
		return err == nil, err
	}
	if prefix != domain.PrefixMessage {
		return false, nil
	}
	if found, err := r.answer(ctx, m); found || err != nil {
		return found, err
	}
	session, err := r.Histories.SessionOf(ctx, r.workspace, m.ref)
	if session == "" || err != nil {
		return false, err
	}
	r.sessions = append(r.sessions, session)
	return r.answer(ctx, m)
}

// answer reads an answer from one of the sessions.
func (r *referenceResolver) answer(ctx context.Context, m *inputMessage) (bool, error) {
	for _, session := range r.sessions {
		message, err := r.Record.Message(ctx, r.workspace, session, m.ref)
		if ignoreNotFound(err) != nil {
			return false, err
		}
		if err == nil && message.Sender == domain.SenderAI {
			m.text = visibleText(message)
			return true, nil
		}
	}
	return false, nil
}
