package slot

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// turn is one answer of the scripted AI.
type saying struct {
	say   string
	calls [][2]string // name and arguments
	wait  float64     // milliseconds before it
	fault string      // JSON of a fault instead of an answer
	times int         // how often it fails
	cost  float64
}

// act is an answer with one action, and done the one that ends a run.
func act(name, arguments string) saying { return saying{calls: [][2]string{{name, arguments}}} }

func done() saying { return saying{calls: [][2]string{{"COMPLETE", `{"summary": "All is done."}`}}} }

// lesson is what the AI answers when the person's last text has a word in it: one turn
// for each call. A call that fails counts for none.
func lesson(word string, sayings ...saying) []map[string]any {
	var steps []map[string]any
	roundtrip := 1
	for _, t := range sayings {
		step := map[string]any{"when": map[string]any{"contains": word, "roundtrip": roundtrip}, "delay_ms": t.wait, "times": t.times}
		if t.fault == "" {
			roundtrip++
		}
		if t.cost > 0 {
			step["usage"] = map[string]any{"input_tokens": 10, "output_tokens": 10, "cost": t.cost}
		}
		calls := []map[string]any{}
		for _, c := range t.calls {
			calls = append(calls, map[string]any{"name": c[0], "arguments": json.RawMessage(c[1])})
		}
		if t.fault == "" {
			step["answer"] = map[string]any{"text": t.say, "calls": calls}
		} else {
			step["fault"] = json.RawMessage(t.fault)
		}
		steps = append(steps, step)
	}
	return steps
}

// learns makes a scripted AI with these lessons the default one, and sets the server up
// for runs that end quickly.
func (s *server) learns(lessons ...[]map[string]any) {
	s.T.Helper()
	steps, err := json.Marshal(slices.Concat(lessons...))
	if err != nil {
		s.T.Fatal(err)
	}
	s.Scripted(string(steps))
	s.settings(map[string]any{"completion_confirmation_delay": "20ms"})
}

func (s *server) settings(patch map[string]any) {
	s.T.Helper()
	s.Call("PATCH", "/v1/settings", patch).Want(200)
}

// order makes an automation that begins with a word, and gives its id.
func (s *server) order(word string, change ...func(*automation.NewAutomation)) string {
	s.T.Helper()
	return s.Automation(word, word, change...).ID
}

func allowing(in *automation.NewAutomation) { in.RequireValidation, in.Validation = true, "allow" }

func (s *server) allow(order string, g domain.Grant) string {
	s.T.Helper()
	g.CreatedBy = "test"
	grant, _, err := s.Parts.Automations.GiveGrant(s.T.Context(), domain.DefaultWorkspace, order, g)
	if err != nil {
		s.T.Fatal(err)
	}
	return grant.ID
}

func (s *server) withdraw(order, grant string) {
	if _, err := s.Parts.Automations.WithdrawGrant(s.T.Context(), domain.DefaultWorkspace, order, grant); err != nil {
		s.T.Errorf("withdraw the grant: %v", err)
	}
}

// start starts a run by hand, and gives its session.
func (s *server) start(order string) string {
	s.T.Helper()
	receipt, err := s.Parts.Runs.ExecuteAutomation(s.T.Context(), domain.DefaultWorkspace, order, "test")
	if err != nil {
		s.T.Fatal(err)
	}
	return receipt.Session.ID
}

// comes waits until a session is in a phase and nothing of it is queued, and gives it.
func (s *server) comes(session, phase string) *harness.Reply {
	s.T.Helper()
	return s.goesTo(session, phase, func(r *harness.Reply) bool { return r.Str("phase") == phase && r.Str("status") != "queued" })
}

func (s *server) goesTo(session, what string, holds func(*harness.Reply) bool) *harness.Reply {
	s.T.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		r := s.Call("GET", "/v1/sessions/"+session, nil).Want(200)
		if holds(r) {
			return r
		}
		if time.Now().After(deadline) {
			s.T.Fatalf("it does not come to %s: %s\n%v", what, r.Body, s.Record(session))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// decide answers the only open approval.
func (s *server) decide(answer map[string]any) {
	s.T.Helper()
	s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), answer).Want(200)
}

// ran lists the session's executions: command, grant and outcome.
func (s *server) ran(session string) []string {
	s.T.Helper()
	var all []string
	for _, line := range s.Call("GET", "/v1/sessions/"+session+"/timeline?limit=200", nil).Want(200).List("data") {
		if e, ok := line.(map[string]any)["execution"].(map[string]any); ok && e["kind"] == "action" {
			grant, _ := e["grant_id"].(string)
			all = append(all, strings.TrimSpace(e["command"].(string)+" "+e["status"].(string)+" "+grant))
		}
	}
	return all
}

// zone is an action that makes a zone of its own.
func zone(name string) saying { return act("CREATE_ZONE", `{"name": `+strconv.Quote(name)+`}`) }

// A nightly run does what it was granted by itself, and waits for a person with what goes
// beyond. It ends by itself, with what it took.
func TestARunKeepsToItsGrants(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.learns(lesson("nightly", zone("One"), zone("Two"), zone("Three"), zone("Four"), done()))
		order := s.order("nightly", harness.Guarded)
		grant := s.allow(order, domain.Grant{Commands: []string{"CREATE_ZONE"}, MaxPerRun: 3})
		run := s.start(order)
		r := s.comes(run, "WAITING_VALIDATION")
		if r.At("holds_slot") != false || r.Str("status") != "requires_action" {
			t.Errorf("it waits with the slot: %s", r.Body)
		}
		third := "CREATE_ZONE SUCCESS " + grant
		if got := s.ran(run); !slices.Equal(got, []string{third, third, third, "CREATE_ZONE PLANNED"}) {
			t.Errorf("it did %v", got)
		}
		if card := s.Card(); len(card.List("actions")) != 1 || card.Str("reasons.0.level") != "session" || card.At("actions.0.grant_id") != nil {
			t.Errorf("the card is %s", card.Body)
		}
		s.decide(map[string]any{"approved": true})
		if r := s.comes(run, "COMPLETED"); r.Str("end_reason") != "COMPLETED" {
			t.Errorf("it ended with %s", r.Body)
		}
		if got := s.ran(run); len(got) != 4 || got[3] != "CREATE_ZONE SUCCESS" {
			t.Errorf("after the yes: %v", got)
		}
		messages := s.Call("GET", "/v1/sessions/"+run+"/messages?limit=200", nil).List("data")
		last := messages[len(messages)-1].(map[string]any)
		if about, ok := last["execution_metadata"].(map[string]any); !ok || about["automation_id"] != order || about["trigger"] != "MANUAL" {
			t.Errorf("its duration is not recorded: %v", last)
		}
		// The next run starts at zero.
		next := s.start(order)
		s.comes(next, "WAITING_VALIDATION")
		if got := s.ran(next); len(got) != 4 || got[0] != third {
			t.Errorf("the next run did %v", got)
		}
	})
}

// Params beyond a grant's bounds, and an answer that holds one action too many, wait
// whole. The card says which of the actions a grant covers.
func TestBeyondAGrantAllWaits(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		both := saying{calls: [][2]string{{"CREATE_ZONE", `{"name": "Den"}`}, {"CREATE_ZONE", `{"name": "Conservatory"}`}}}
		s.learns(lesson("bounded", both, done()))
		order := s.order("bounded", harness.Guarded)
		grant := s.allow(order, domain.Grant{Commands: []string{"CREATE_ZONE"}, Bounds: json.RawMessage(`{"properties": {"name": {"maxLength": 5}}}`)})
		run := s.start(order)
		s.comes(run, "WAITING_VALIDATION")
		if card := s.Card(); card.Str("actions.0.grant_id") != grant || card.At("actions.1.grant_id") != nil {
			t.Errorf("the card is %s", card.Body)
		}
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE PLANNED " + grant, "CREATE_ZONE PLANNED"}) {
			t.Errorf("it did %v", got)
		}
		s.decide(map[string]any{"approved": false, "comment": "Only the den."})
		s.goesTo(run, "the person's words", func(*harness.Reply) bool { return slices.Contains(s.Record(run)[1:], "USER") })
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE CANCELLED " + grant, "CREATE_ZONE CANCELLED"}) {
			t.Errorf("after the no: %v", got)
		}
	})
}

// A grant that is withdrawn counts at once: for the next answer, and even for one that
// is about to run.
func TestAWithdrawnGrantLetsNothingRun(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.learns(lesson("withdrawn", zone("One"), zone("Two"), done()), lesson("too late", zone("Three"), done()))
		order := s.order("withdrawn", harness.Guarded)
		grant := s.allow(order, domain.Grant{Commands: []string{"CREATE_ZONE"}})
		withdrawAt := func(order, grant string, phase domain.Phase, nth int) {
			seen := 0
			s.Mu.Lock()
			defer s.Mu.Unlock()
			s.Then = func(c *domain.Change) {
				for _, tr := range c.Transitions {
					if tr.To == phase {
						if seen++; seen == nth {
							s.withdraw(order, grant)
						}
					}
				}
			}
		}
		withdrawAt(order, grant, domain.CallingAI, 2) // once the first action has run
		run := s.start(order)
		s.comes(run, "WAITING_VALIDATION")
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE SUCCESS " + grant, "CREATE_ZONE PLANNED"}) {
			t.Errorf("it did %v", got)
		}
		s.decide(map[string]any{"approved": true})
		s.comes(run, "COMPLETED")

		order = s.order("too late", harness.Guarded)
		grant = s.allow(order, domain.Grant{Commands: []string{"CREATE_ZONE"}})
		withdrawAt(order, grant, domain.ExecutingActions, 1) // planned with it, not begun
		run = s.start(order)
		s.comes(run, "WAITING_VALIDATION")
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE PLANNED"}) {
			t.Errorf("it did %v", got)
		}
		if !strings.Contains(string(s.Card().Body), "withdrawn") {
			t.Errorf("the card does not say why: %s", s.Card().Body)
		}
		s.decide(map[string]any{"approved": true})
		s.comes(run, "COMPLETED")
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE SUCCESS"}) {
			t.Errorf("after the yes: %v", got)
		}
		if n := len(s.Call("GET", "/v1/zones", nil).List("data")); n != 3 {
			t.Errorf("there are %d zones", n)
		}

		// Where approvals are refused, so is what was granted a moment ago.
		order = s.order("too late", harness.Refusing)
		grant = s.allow(order, domain.Grant{Commands: []string{"CREATE_ZONE"}})
		withdrawAt(order, grant, domain.ExecutingActions, 1)
		run = s.start(order)
		s.comes(run, "COMPLETED")
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE CANCELLED " + grant}) {
			t.Errorf("refused: %v", got)
		}
	})
}

// The policy for actions that need approval: deny rejects them and informs the AI; allow runs them, except changes
// of documents and deletions with their contents, unless they are granted.
func TestThePolicyForWhatNeedsAYes(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		attic := s.Call("POST", "/v1/zones", map[string]any{"name": "Attic"}).Want(201).Str("id")
		s.Call("POST", "/v1/documents", map[string]any{"key": "about", "title": "About", "body": "I run."}).Want(201)
		publish := act("CONTEXT_PUBLISH", `{"key": "about"}`)
		demolish := act("DELETE_ZONE", `{"zone_id": "`+attic+`", "force": true}`)
		s.learns(lesson("refused", zone("One"), done()), lesson("allowed", zone("Two"), publish, demolish, done()))

		run := s.start(s.order("refused", harness.Refusing))
		s.comes(run, "COMPLETED")
		if record := s.Record(run); !slices.Contains(record, "GUIDANCE") || !slices.Equal(s.ran(run), []string{"CREATE_ZONE CANCELLED"}) {
			t.Errorf("refused: %v, %v", record, s.ran(run))
		}

		run = s.start(s.order("allowed", allowing))
		s.comes(run, "WAITING_VALIDATION")
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE SUCCESS", "CONTEXT_PUBLISH PLANNED"}) {
			t.Errorf("allowed: %v", got)
		}
		s.decide(map[string]any{"approved": true})
		s.goesTo(run, "the deletion", func(*harness.Reply) bool { return len(s.ran(run)) == 3 })
		s.comes(run, "WAITING_VALIDATION")
		s.decide(map[string]any{"approved": true})
		s.comes(run, "COMPLETED")

		attic = s.Call("POST", "/v1/zones/"+attic+"/restore", nil).Want(200).Str("id")
		order := s.order("allowed", allowing)
		grant := s.allow(order, domain.Grant{Commands: []string{"CONTEXT_PUBLISH", "DELETE_ZONE"}})
		run = s.start(order)
		s.comes(run, "COMPLETED")
		if got := s.ran(run); !slices.Equal(got, []string{"CREATE_ZONE SUCCESS", "CONTEXT_PUBLISH SUCCESS " + grant, "DELETE_ZONE SUCCESS " + grant}) {
			t.Errorf("granted: %v", got)
		}
		s.Call("GET", "/v1/zones/"+attic, nil).Want(404)
	})
}
