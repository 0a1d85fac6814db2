package sessions_test

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/testkit"
)

func TestDecisionsArriveAsTheyWereMade(t *testing.T) {
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	ses := "/v1/sessions/ses_1/"
	c.Want(200, "POST", ses+"validation", `{"approved":true,"approval_id":"apr_1","approved_ids":["exe_1"],"edits":{"exe_1":{"name":"y"}},"comment":"go"}`)
	servertest.Equal(t, "validation", servertest.LastAsked[domain.Decision](t, w), domain.Decision{ApprovalID: "apr_1", Approved: true, ApprovedIDs: []string{"exe_1"},
		Edits: map[string]json.RawMessage{"exe_1": json.RawMessage(`{"name":"y"}`)}, Comment: "go", By: servertest.KeyRoot})
	w.Wait(t, "ses_1", domain.Idle)
	c.Want(202, "POST", ses+"messages", `{"text":"Ask me."}`)
	w.Wait(t, "ses_1", domain.WaitingCommunicationResponse)
	c.Want(422, "POST", ses+"response", `{"value":null}`) // it is one, and none of the choices
	servertest.Equal(t, "a null answer is one", string(servertest.LastAsked[domain.Decision](t, w).Value), "null")
	c.Want(422, "POST", ses+"response", `{"cancelled":true,"value":1}`)
	c.Want(422, "POST", ses+"response", `{"cancelled":false}`)
	c.Want(200, "POST", ses+"response", `{"cancelled":true}`)
	servertest.Equal(t, "cancelled", servertest.LastAsked[domain.Decision](t, w), domain.Decision{Cancelled: true, By: servertest.KeyRoot})
	c.Want(200, "POST", ses+"stop", "")
	run := w.WaitingRun(t, c)
	got := c.Want(200, "POST", "/v1/sessions/"+run+"/completion", `{"confirmed":false,"comment":"no"}`)
	servertest.Equal(t, "completion", servertest.LastAsked[domain.Decision](t, w), domain.Decision{Comment: "no", By: servertest.KeyRoot})
	settled, _ := got.Body["approval"].(map[string]any)
	servertest.Equal(t, "its approval", []any{settled["kind"], settled["status"]}, []any{"completion", "refused"})
}

func TestAnApprovalTakesWhatItsKindTakes(t *testing.T) {
	limit := 5.0
	for _, x := range []struct {
		kind domain.ApprovalKind
		body string
		want domain.Decision
		at   string // of the error, if there is one
	}{
		{domain.ApprovalActions, `{"approved":false,"comment":"no"}`, domain.Decision{Comment: "no"}, ""},
		{domain.ApprovalActions, `{"comment":"no"}`, domain.Decision{}, "/approved"},
		{domain.ApprovalActions, `{"approved":true,"value":1}`, domain.Decision{}, "/value"},
		{domain.ApprovalQuestion, `{"value":"km"}`, domain.Decision{Approved: true, Value: json.RawMessage(`"km"`)}, ""},
		{domain.ApprovalQuestion, `{"cancelled":true}`, domain.Decision{Cancelled: true}, ""},
		{domain.ApprovalQuestion, `{"approved":true}`, domain.Decision{}, "/approved"},
		{domain.ApprovalQuestion, `{}`, domain.Decision{}, "/value"},
		{domain.ApprovalBudget, `{"approved":true,"limit":5}`, domain.Decision{Approved: true, Limit: &limit}, ""},
		{domain.ApprovalBudget, `{"limit":5}`, domain.Decision{}, "/approved"},
		{domain.ApprovalCompletion, `{"confirmed":true}`, domain.Decision{Approved: true}, ""},
		{domain.ApprovalCompletion, `{"approved":true}`, domain.Decision{}, "/approved"},
		{domain.ApprovalOutcome, `{"outcome":"did_not"}`, domain.Decision{Outcome: "did_not"}, ""},
		{domain.ApprovalOutcome, `{"outcome":"happened"}`, domain.Decision{Approved: true, Outcome: "happened"}, ""},
		{domain.ApprovalPoisoned, `{"approved":true}`, domain.Decision{Approved: true}, ""},
		{domain.ApprovalPoisoned, `{"confirmed":true}`, domain.Decision{}, "/confirmed"},
		{domain.ApprovalClientCalls, `{"approved":false}`, domain.Decision{}, ""},
		{domain.ApprovalClientCalls, `{"results":[]}`, domain.Decision{}, "/results"},
	} {
		w := servertest.NewWorld(t)
		c := w.Serve(t)
		w.Change(t, func(_ *domain.Session, change *domain.Change) {
			a, err := w.Store.Approvals.Approval(t.Context(), domain.DefaultWorkspace, "apr_1")
			if err != nil {
				t.Fatal(err)
			}
			a.Kind = x.kind
			change.Approvals = append(change.Approvals, a)
		})
		got := c.Do("POST", "/v1/approvals/apr_1", x.body)
		if x.at != "" {
			if at, _, _ := servertest.FieldError(t, got); at != x.at {
				t.Errorf("%s %s: the error is at %s", x.kind, x.body, at)
			}
			continue
		}
		x.want.By = servertest.KeyRoot
		servertest.Equal(t, string(x.kind)+" "+x.body, servertest.LastAsked[domain.Decision](t, w), x.want)
	}
}

func TestAConflictSaysWhereTheSessionStands(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	got := c.Want(409, "POST", "/v1/sessions/ses_1/response", `{"value":1}`)
	servertest.Equal(t, "phase", got.Body["phase"], "WAITING_VALIDATION")
	servertest.Equal(t, "status", got.Body["session_status"], "requires_action")
	servertest.Equal(t, "no decision", got.Body["decision"], nil)

	c.Want(200, "POST", "/v1/sessions/ses_1/validation", `{"approved":true}`)
	testkit.Until(t, "the session is at rest", func() bool {
		return c.Want(200, "GET", "/v1/sessions/ses_1", "").Body["status"] == "idle"
	})
	got = c.Want(409, "POST", "/v1/sessions/ses_1/validation", `{"approval_id":"apr_1","approved":false}`)
	servertest.Equal(t, "phase", got.Body["phase"], "IDLE")
	servertest.Equal(t, "status", got.Body["session_status"], "idle")
	decision, _ := got.Body["decision"].(map[string]any)
	servertest.Equal(t, "decision", decision["approved"], true)
}
