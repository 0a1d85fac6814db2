package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/explain"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
)

// circumstances in which a session of any phase can be.
var circumstances = []struct {
	name string
	make func(*explain.Inputs)
}{
	{"holds the slot", func(st *explain.Inputs) {
		st.View.Session.HoldsSlot, st.View.Holder = true, st.View.Session
	}},
	{"queued", func(st *explain.Inputs) {
		s := st.View.Session
		s.QueuedAt, s.QueuePosition = new(noon.Add(-time.Minute)), 2
		st.View.Queue = []domain.QueueRow{{SessionID: "ses_2", Position: 1}, {SessionID: s.ID, Position: 2, Reason: "RESUME"}}
		st.Ahead = []explain.SessionName{{ID: "ses_2", Name: "Weekly report", Position: 1}}
	}},
	{"suspended", func(st *explain.Inputs) { st.View.Session.State.Suspended = true }},
	{"parked", func(*explain.Inputs) {}},
	{"parked and answered", func(st *explain.Inputs) {
		if w := st.View.Session.State.Waiting; w != nil {
			w.Answer = &domain.WaitAnswer{Event: "ValidationReceived"}
		}
	}},
	{"stands aside", func(st *explain.Inputs) {
		s := st.View.Session
		if !s.Phase.Working() {
			return
		}
		s.QueuedAt, s.QueuePosition = new(noon.Add(-time.Second)), 1
		s.State.Suspicion = domain.Suspicion{Deaths: 2, ReenterAt: noon.Add(10 * time.Second)}
		st.View.Queue = []domain.QueueRow{{SessionID: s.ID, Position: 1, Reason: domain.QueuedSuspect, NotBefore: new(noon.Add(10 * time.Second))}}
	}},
	{"poisoned", func(st *explain.Inputs) {
		st.View.Session.State.Poisoned = true
		st.View.Open = append(st.View.Open, &domain.Approval{ID: "apr_9", Kind: domain.ApprovalPoisoned})
	}},
}

// standing is a session in a phase, as the machine leaves it there.
func standing(kind domain.SessionType, phase domain.Phase) *explain.Inputs {
	s := &domain.Session{ID: "ses_1", Type: kind, Name: "Nightly", Phase: phase, CreatedAt: noon.Add(-time.Hour), LastEventTime: noon, ProviderID: "prv_1"}
	w := map[domain.Phase]*domain.WaitingContext{
		domain.WaitingValidation:             {Kind: domain.WaitValidation, ApprovalID: "apr_1", At: noon},
		domain.WaitingCommunicationResponse:  {Kind: domain.WaitCommunication, ApprovalID: "apr_1", At: noon},
		domain.WaitingBudget:                 {Kind: domain.WaitBudget, ApprovalID: "apr_1", Limit: "max_cost_per_day", At: noon},
		domain.WaitingExternalResult:         {Kind: domain.WaitExternalResult, Tasks: []string{"tsk_1", "tsk_2"}},
		domain.WaitingCompletionConfirmation: {Kind: domain.WaitCompletionConfirmation, At: noon.Add(5 * time.Second)},
		domain.WaitingNetworkRetry:           {Kind: domain.WaitNetworkRetry, Attempt: 2, LastError: "connection refused", At: noon.Add(15 * time.Second)},
		domain.AwaitingSessionClosure:        {Kind: domain.WaitClosure, At: noon.Add(5 * time.Second)},
	}[phase]
	s.State.Waiting = w
	if phase == domain.Completed {
		s.EndReason = domain.EndCancelled
	}
	settings := domain.DefaultSettings()
	settings.TimeZone = "Europe/Paris"
	holder := &domain.Session{ID: "ses_9", Type: domain.Chat, Name: "Talk", Phase: domain.Idle, LastEventTime: noon}
	return &explain.Inputs{
		View: &domain.View{Workspace: &domain.Workspace{Settings: settings}, Session: s, Holder: holder,
			Open: []*domain.Approval{{ID: "apr_1", ExpiresAt: new(noon.Add(time.Hour)), OnExpiry: "deny"}}},
		Last: []*domain.Transition{{From: domain.Idle, To: phase, At: noon, Status: s.Status()}},
	}
}

// TestEveryStateIsExplained: every phase in every circumstance, of a CHAT and of an
// AUTOMATION, in words of both languages.
func TestEveryStateIsExplained(t *testing.T) {
	var out strings.Builder
	for _, kind := range []domain.SessionType{domain.Chat, domain.Run} {
		for _, phase := range domain.Phases {
			for _, c := range circumstances {
				st := standing(kind, phase)
				c.make(st)
				why := explain.Session(st, noon)
				settings := st.View.Workspace.Settings
				english := api.ExplanationFrom(why, &settings)
				settings.Language = "fr"
				french := api.ExplanationFrom(why, &settings)
				if english.WaitingFor.Kind == "" || english.UnblockedBy == "" || english.Text == "" || french.Text == "" || english.Text == french.Text {
					t.Errorf("%s %s, %s: %+v", kind, phase, c.name, english)
				}
				for _, text := range []string{english.Text, french.Text} {
					if strings.ContainsAny(text, "%?") {
						t.Errorf("%s %s, %s has a gap: %s", kind, phase, c.name, text)
					}
				}
				fmt.Fprintf(&out, "%s %s, %s: %s, unblocked by %s\n  %s\n  %s\n", kind, phase, c.name, why.Waits.Kind, why.UnblockedBy, english.Text, french.Text)
			}
		}
	}
	golden.Check(t, "testdata/explain.txt", out.String())
}

// TestExplainNamesAgents that work for a session or wait for a person, those of its agents too, and the
// question of a task that it waits for.
func TestExplainNamesAgents(t *testing.T) {
	st := standing(domain.Chat, domain.ExecutingDataQueries)
	st.View.Session.HoldsSlot, st.View.Holder = true, st.View.Session
	agent := func(id, name string, phase domain.Phase, own ...*domain.AgentView) *domain.AgentView {
		return &domain.AgentView{Session: &domain.Session{ID: id, Name: name, Type: domain.Agent, Phase: phase}, Agents: own}
	}
	st.View.Agents = []*domain.AgentView{
		agent("ses_5", "Scout", domain.CallingAI, agent("ses_6", "Clerk", domain.WaitingValidation)), agent("ses_7", "Done", domain.Completed),
	}
	settings := domain.DefaultSettings()
	e := api.ExplanationFrom(explain.Session(st, noon), &settings)
	if want := "Its agent “Scout”: waiting for the AI’s answer. Its agent “Clerk”: waiting for a person."; !strings.Contains(e.Text, want) {
		t.Errorf("it says %q", e.Text)
	}
	if all := *e.WaitingFor.Agents; len(all) != 2 || all[0].ID != "ses_5" || all[1].Phase != domain.WaitingValidation {
		t.Errorf("the agents are %+v", all)
	}
	settings.Language = "fr"
	if e := api.ExplanationFrom(explain.Session(st, noon), &settings); !strings.Contains(e.Text, "Son agent « Scout » : en attente de la réponse de l’IA.") {
		t.Errorf("in French it says %q", e.Text)
	}

	st = standing(domain.Run, domain.WaitingExternalResult)
	st.View.Tasks = []*domain.Task{{ID: "tsk_1"}, {ID: "tsk_2", Question: &domain.TaskQuestion{ApprovalID: "apr_7", Key: "k"}}}
	settings.Language = "en"
	e = api.ExplanationFrom(explain.Session(st, noon), &settings)
	if !strings.Contains(e.Text, "The service has a question for you first.") || *e.WaitingFor.ApprovalID != "apr_7" {
		t.Errorf("of a task that asks it says %q", e.Text)
	}
}

// TestFilesBeforeTheAI: which files it had for its latest answer, as what, and what each counted,
// in words of both languages; an answer that had none says nothing of files.
func TestFilesBeforeTheAI(t *testing.T) {
	var out strings.Builder
	for name, raw := range map[string]*domain.RawAnswer{
		"all": {OlderPromptFiles: 3, PromptFiles: []domain.PromptFile{
			{ID: "fil_1", Name: "a.png", As: domain.FileAsPicture, Tokens: 1290},
			{ID: "fil_2", Name: "b.txt", As: domain.FileAsText, Tokens: 12},
			{ID: "fil_3", Name: "c.csv", As: domain.FileAsText, Why: domain.FileCut, Tokens: 900},
			{ID: "fil_4", Name: "d\u202e.png", As: domain.FileAsReference, Why: domain.FileShownBefore, Tokens: 40},
			{ID: "fil_5", Name: "e", As: domain.FileAsReference, Why: domain.FileDeleted, Tokens: 40},
			{ID: "fil_6", Name: "f", As: domain.FileAsReference, Why: domain.FileUnseen, Tokens: 40},
			{ID: "fil_7", Name: "g", As: domain.FileAsReference, Why: domain.FileTooMuchShown, Tokens: 40},
		}},
		"none": {}, "no answer": nil,
	} {
		st := standing(domain.Chat, domain.Idle)
		if st.Answer = (&domain.Message{ID: "msg_3", Raw: raw}); name == "no answer" {
			st.Answer = nil
		}
		for _, language := range []string{"en", "fr"} {
			settings := domain.DefaultSettings()
			settings.Language = language
			e := api.ExplanationFrom(explain.Session(st, noon), &settings)
			switch got := e.LatestAnswer; {
			case name != "all" && got != nil:
				t.Errorf("%s: it says %+v", name, got)
			case name != "all":
			case got == nil || got.MessageID != "msg_3" || len(got.PromptFiles) != 7 || got.OlderPromptFiles != 3:
				t.Errorf("it says %+v", got)
			default:
				fmt.Fprintln(&out, language+": "+got.Text)
			}
		}
	}
	golden.Check(t, "testdata/prompt-files.txt", out.String())
}
