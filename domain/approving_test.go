package domain

import (
	"encoding/json"
	"testing"
)

// TestWhoMustApprove is the whole table: each kind of session, each policy and each reason.
func TestWhoMustApprove(t *testing.T) {
	plain := &Execution{Command: "CREATE_ZONE", Params: json.RawMessage(`{}`)}
	document := &Execution{Command: "CONTEXT_PUBLISH", Params: json.RawMessage(`{}`)}
	forced := &Execution{Command: "DELETE_ZONE", Params: json.RawMessage(`{"force":true}`)}
	granted := &Execution{Command: "CONTEXT_PUBLISH", Params: json.RawMessage(`{}`), GrantID: "gra_1"}

	sessions := map[string]*Session{
		"CHAT":                   {Type: Chat},
		"AUTOMATION":             {Type: Run, AutomationID: "aut_1"},
		"AGENT of a CHAT":        {Type: Agent, ParentSessionID: "ses_1"},
		"AGENT of an AUTOMATION": {Type: Agent, ParentSessionID: "ses_1", AutomationID: "aut_1"},
		"AGENT that is tried":    {Type: Agent},
	}
	attended := func(name string) bool { return name != "AUTOMATION" && name != "AGENT of an AUTOMATION" }
	type column struct{ attended, park, refuse, allow Verdict }
	byPolicy := column{VerdictAsk, VerdictAsk, VerdictRefuse, VerdictRun}
	always := column{VerdictAsk, VerdictAsk, VerdictRefuse, VerdictAsk}

	for name, c := range map[string]struct {
		reasons []ApprovalReason
		actions []*Execution
		want    column
		unheard Verdict // in an AUTOMATION, where it is another one
	}{
		"nothing":                        {nil, []*Execution{plain}, column{VerdictRun, VerdictRun, VerdictRun, VerdictRun}, ""},
		"workspace":                      {[]ApprovalReason{{Level: LevelWorkspace}}, []*Execution{plain}, byPolicy, ""},
		"zone":                           {[]ApprovalReason{{Level: LevelZone, ID: "z"}}, []*Execution{plain}, byPolicy, ""},
		"tool":                           {[]ApprovalReason{{Level: LevelTool, ID: "t"}}, []*Execution{plain}, byPolicy, ""},
		"session":                        {[]ApprovalReason{{Level: LevelSession}}, []*Execution{plain}, byPolicy, ""},
		"a connector's setting":          {[]ApprovalReason{{Level: LevelCommand}}, []*Execution{plain}, byPolicy, ""},
		"the AI":                         {[]ApprovalReason{{Level: LevelAI}}, []*Execution{plain}, always, VerdictRun},
		"a document":                     {[]ApprovalReason{{Level: LevelCommand}}, []*Execution{document}, always, ""},
		"a forced deletion":              {[]ApprovalReason{{Level: LevelCommand}}, []*Execution{forced}, always, ""},
		"a document among others":        {[]ApprovalReason{{Level: LevelWorkspace}}, []*Execution{plain, document}, always, ""},
		"a document that a grant covers": {[]ApprovalReason{{Level: LevelWorkspace}}, []*Execution{plain, granted}, byPolicy, ""},
		"sensitive, or an automation":    {[]ApprovalReason{{Level: LevelCommand, Always: true}}, []*Execution{plain}, always, ""},
		"words from outside":             {[]ApprovalReason{{Level: LevelOutside}}, []*Execution{plain}, always, ""},
		"the AI, and the workspace": {
			[]ApprovalReason{{Level: LevelAI}, {Level: LevelWorkspace}}, []*Execution{plain}, always, "by policy",
		},
	} {
		for kind, s := range sessions {
			for _, policy := range []string{PolicyPark, PolicyRefuse, PolicyAllow} {
				for _, own := range []bool{true, false} { // the automation's, or the workspace's
					settings := DefaultSettings()
					settings.AutomationValidation = policy
					session := *s
					if own {
						session.State.Validation, settings.AutomationValidation = policy, "park"
					}
					want := map[string]Verdict{PolicyPark: c.want.park, PolicyRefuse: c.want.refuse, PolicyAllow: c.want.allow}[policy]
					switch {
					case attended(kind):
						want = c.want.attended
					case s.Type == Run && c.unheard == "by policy":
						want = map[string]Verdict{PolicyPark: VerdictAsk, PolicyRefuse: VerdictRefuse, PolicyAllow: VerdictRun}[policy]
					case s.Type == Run && c.unheard != "":
						want = c.unheard
					}
					a := session.Approving(&settings)
					if got := a.Verdict(a.Reasons(c.reasons, c.actions)); got != want {
						t.Errorf("%s in %s under %s (its own: %v): %s, want %s", name, kind, policy, own, got, want)
					}
				}
			}
		}
	}
}

// What is asked names its reasons, all of them and no other.
func TestTheReasonsThatCount(t *testing.T) {
	all := []ApprovalReason{{Level: LevelWorkspace}, {Level: LevelAI}, {Level: LevelOutside}}
	for kind, c := range map[string]struct {
		a    Approving
		want string
	}{
		"a chat":                       {Approving{Type: Chat, Policy: PolicyAllow}, "workspace ai outside "},
		"a run, parking":               {Approving{Type: Run, Unattended: true, Policy: PolicyPark}, "workspace outside "},
		"a run, allowed":               {Approving{Type: Run, Unattended: true, Policy: PolicyAllow}, "outside "},
		"an agent of a chat":           {Approving{Type: Agent, Policy: PolicyAllow}, "workspace ai outside "},
		"an agent of a run, allowed":   {Approving{Type: Agent, Unattended: true, Policy: PolicyAllow}, "ai outside "},
		"a template, which never runs": {Approving{Type: Seed, Policy: PolicyPark}, "workspace outside "},
	} {
		got := ""
		for _, r := range c.a.Reasons(all, nil) {
			got += string(r.Level) + " "
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", kind, got, c.want)
		}
	}
}
