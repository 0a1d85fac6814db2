package domain

import (
	"encoding/json"
	"slices"
	"strings"
)

// Policies for a run's actions that require an approval (automation_validation).
const (
	PolicyPark   = "park"
	PolicyRefuse = "refuse"
	PolicyAllow  = "allow"
)

// Verdict is the decision on the actions of an answer.
type Verdict string

const (
	VerdictRun    Verdict = "run"    // at once
	VerdictAsk    Verdict = "ask"    // a person approves them first
	VerdictRefuse Verdict = "refuse" // without asking; the AI gets a refusal
)

// Approving decides whether a person must approve what a session's AI requests. All other code only
// collects reasons; which of them count in which session, and with what effect, is decided here. No door
// and no command decides it.
//
//	reason                          | CHAT | AGENT of a CHAT | AUTOMATION | AGENT of an AUTOMATION
//	workspace, zone, tool, session  | ask  | ask             | policy     | policy
//	command, by a setting           | ask  | ask             | policy     | policy
//	command, as its nature          | ask  | ask             | ask        | ask
//	the AI's own request            | ask  | ask             | -          | ask
//	external content                | ask  | ask             | ask        | ask
//
// "policy" is automation_validation: park asks, allow runs. Under refuse, what would ask is refused. A
// grant removes the reasons of its action beforehand, except those marked Always and external content.
type Approving struct {
	Type SessionType
	// Unattended: it is a run, or works for one, so that the run's policy holds.
	Unattended bool
	// Policy is one of park, refuse and allow.
	Policy string
}

// Approving returns the approval rules of this session.
func (s *Session) Approving(settings *Settings) Approving {
	a := Approving{Type: s.Type, Policy: s.State.Validation}
	a.Unattended = s.Type == Run || s.Type == Agent && s.AutomationID != ""
	if a.Policy == "" {
		a.Policy = settings.AutomationValidation
	}
	return a
}

// CountsAIRequest reports whether the AI's own request for an approval counts.
func (t SessionType) CountsAIRequest() bool { return t == Chat || t == Agent }

// Reasons are those that count for these actions.
func (a Approving) Reasons(all []ApprovalReason, actions []*Execution) []ApprovalReason {
	firm := slices.ContainsFunc(actions, (*Execution).asksByNature) ||
		slices.ContainsFunc(all, func(r ApprovalReason) bool { return r.Always })
	var list []ApprovalReason
	for _, r := range all {
		if a.counts(r, firm) {
			list = append(list, r)
		}
	}
	return list
}

// counts: with one action among them that no policy covers, a person is shown why all of them
// would ask.
func (a Approving) counts(r ApprovalReason, firm bool) bool {
	switch r.Level {
	case LevelOutside:
		return true
	case LevelAI:
		return a.Type.CountsAIRequest()
	}
	return firm || r.Always || !a.Unattended || a.Policy != PolicyAllow
}

// Verdict is what these reasons come to; they are those that count.
func (a Approving) Verdict(reasons []ApprovalReason) Verdict {
	switch {
	case len(reasons) == 0:
		return VerdictRun
	case a.Unattended && a.Policy == PolicyRefuse:
		return VerdictRefuse
	}
	return VerdictAsk
}

// asksByNature: no policy covers changes of the context documents and forced deletions. A grant
// does: a person approved this very thing.
func (e *Execution) asksByNature() bool {
	if e.GrantID != "" {
		return false
	}
	if strings.HasPrefix(e.Command, "CONTEXT_") {
		return true
	}
	var params struct {
		Force bool `json:"force"`
	}
	return strings.HasPrefix(e.Command, "DELETE_") && json.Unmarshal(e.Params, &params) == nil && params.Force
}
