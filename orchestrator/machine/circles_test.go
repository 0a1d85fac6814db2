package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// move is an answer of a model with one call, and what the call comes to.
type move struct {
	words, command, result string
	failed                 bool
}

// plays sends moves until the round is over or all have been played. It returns the numbers of the answers (1 =
// first) after which the AI was warned about a circle, the number of the answer after which the round was ended (0:
// it was not), and the kinds of circles as counted.
func (w *world) plays(moves []move) (warned []int, ended int, kinds []string) {
	w.t.Helper()
	for i, m := range moves {
		kind := "query"
		if len(m.command) > 6 && m.command[:6] == "CREATE" {
			kind = "action"
		}
		parts := []part{{kind, m.command}}
		if m.command == "" {
			parts = nil
		}
		received, parsed := w.answer(m.words, parts)
		w.step(received)
		step := w.step(parsed)
		if w.s.Phase == domain.ExecutingDataQueries || w.s.Phase == domain.ExecutingActions {
			failing := 0
			if m.failed {
				failing = 1
			}
			e, _ := w.ran(failing, domain.ExecFailed)
			for _, x := range executionsOf(e) {
				x.Result = json.RawMessage(m.result)
			}
			w.s = again(w.t, w.s) // as if the process died here
			step = w.step(e)
		}
		kinds = append(kinds, step.Change.Circles...)
		if slices.ContainsFunc(step.Change.Messages, func(m *domain.Message) bool {
			return m.System != nil && m.System.Type == domain.SystemGuidance && len(m.System.Summary) > 24 && m.System.Summary[:24] == "You are going in circles"
		}) {
			warned = append(warned, i+1)
		}
		if w.s.Phase != domain.CallingAI {
			if slices.Contains(step.Change.Limits, limitCircles) {
				return warned, i + 1, kinds
			}
			w.t.Fatalf("after answer %d the session stands in %s", i+1, w.s.Phase)
		}
	}
	return warned, 0, kinds
}

// again is the session as it is read from the database.
func again(t failer, s *domain.Session) *domain.Session {
	b, err := json.Marshal(s.State)
	own := *s
	own.State = domain.SessionState{}
	if err == nil {
		err = json.Unmarshal(b, &own.State)
	}
	if err != nil {
		t.Fatalf("the state: %v", err)
	}
	return &own
}

func executionsOf(e domain.Event) []*domain.Execution {
	switch e := e.(type) {
	case domain.DataQueriesExecuted:
		return e.Executions
	case domain.ActionsExecuted:
		return e.Executions
	case domain.ActionFailureOccurred:
		return e.Executions
	}
	return nil
}

// TestCircles verifies that the AI is warned first; if it continues, the round ends with the reason.
func TestCircles(t *testing.T) {
	q := func(words, command, result string) move { return move{words: words, command: command, result: result} }
	for _, c := range []struct {
		name   string
		moves  []move
		warned []int
		ended  int
		kinds  []string
	}{
		{"three identical answers", []move{q("a", "ZONES", "1"), q("a", "ZONES", "1"), q("a", "ZONES", "1")}, nil, 3, []string{circleSameAnswer}},
		{"the same call three times, whatever stands between",
			[]move{q("a", "ZONES", "1"), q("b", "SCHEMA", "1"), q("c", "ZONES", "1"), q("d", "CREATE_ZONE", `{"id":1}`), q("e", "ZONES", "1"), q("f", "APP_STATE", "1")},
			[]int{5}, 0, []string{circleSameCall}},
		{"the same call once more after the word",
			[]move{q("a", "ZONES", "1"), q("b", "ZONES", "1"), q("c", "ZONES", "1"), q("d", "SCHEMA", "1"), q("e", "ZONES", "1")},
			[]int{3}, 5, []string{circleSameCall, circleSameCall}},
		{"a query whose data changed in between",
			[]move{q("a", "ZONES", "1"), q("b", "ZONES", "1"), q("c", "ZONES", "2"), q("d", "ZONES", "2"), q("e", "ZONES", "3"), q("f", "ZONES", "3")}, nil, 0, nil},
		{"an action that is repeated on purpose makes something new each time",
			[]move{q("a", "CREATE_DATA", `{"id":1}`), q("b", "CREATE_DATA", `{"id":2}`), q("c", "CREATE_DATA", `{"id":3}`), q("d", "CREATE_DATA", `{"id":4}`)}, nil, 0, nil},
		{"an action that fails in the same way again and again",
			[]move{{"a", "CREATE_ZONE", "null", true}, {"b", "CREATE_ZONE", "null", true}, {"c", "CREATE_ZONE", "null", true}, {"d", "CREATE_ZONE", "null", true}}, []int{3}, 4, []string{circleSameCall, circleSameCall}},
		{"polling tasks is what TASKS is for",
			[]move{q("a", "TASKS", "1"), q("a", "TASKS", "1"), q("a", "TASKS", "1"), q("a", "TASKS", "1"), q("a", "TASKS", "1")}, nil, 0, nil},
		{"two answers in turn", []move{q("a", "ZONES", "1"), q("b", "SCHEMA", "1"), q("a", "ZONES", "1"), q("b", "SCHEMA", "1"), q("c", "APP_STATE", "1")},
			[]int{4}, 0, []string{circleAlternating}},
		{"two answers in turn, and on", []move{q("a", "ZONES", "1"), q("b", "SCHEMA", "1"), q("a", "ZONES", "1"), q("b", "SCHEMA", "1"), q("a", "ZONES", "1")},
			[]int{4}, 5, []string{circleAlternating, circleAlternating}},
		{"two answers in turn, without commands", []move{{words: "a"}, {words: "b"}, {words: "a"}, {words: "b"}, {words: "a"}},
			[]int{4}, 5, []string{circleAlternating, circleAlternating}},
		{"two answers in turn that read what changes", []move{q("a", "ZONES", "1"), q("b", "SCHEMA", "1"), q("a", "ZONES", "2"), q("b", "SCHEMA", "1"), q("a", "ZONES", "3"), q("b", "APP_STATE", "1")}, nil, 0, nil},
		{"one circle after another is not warned about forever",
			slices.Concat(threeTimes("A"), threeTimes("B"), threeTimes("C"), threeTimes("D")), []int{3, 6, 9}, 12,
			[]string{circleSameCall, circleSameCall, circleSameCall, circleSameCall}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := begun(t, domain.Run)
			warned, ended, kinds := w.plays(c.moves)
			if !slices.Equal(warned, c.warned) || ended != c.ended || !slices.Equal(kinds, c.kinds) {
				t.Errorf("warned after %v, ended after %d, counted %v; want %v, %d, %v", warned, ended, kinds, c.warned, c.ended, c.kinds)
			}
		})
	}
}

func threeTimes(command string) []move {
	var moves []move
	for i := range 3 {
		moves = append(moves, move{words: fmt.Sprint(command, i), command: command, result: "1"})
	}
	return moves
}

// TestNewWordsAreNoCircle verifies that a person's message, before or within the round, resets the detection.
func TestNewWordsAreNoCircle(t *testing.T) {
	w := begun(t, domain.Chat)
	for i := range 2 {
		w.answers(fmt.Sprint("a", i), 0, part{"query", "ZONES"})
	}
	w.step(domain.UserMessageSent{Message: w.message("look again"), IfBusy: domain.IfBusySteer, Explicit: true})
	for i := range 2 {
		w.answers(fmt.Sprint("b", i), 0, part{"query", "ZONES"})
	}
	if c := w.s.State.Circle; w.s.Phase != domain.CallingAI || c.Warned != 0 {
		t.Errorf("in %s, warned %d times", w.s.Phase, c.Warned)
	}
}

// TestTheMemoryOfARoundIsBounded: however long a round is, its state is not.
func TestTheMemoryOfARoundIsBounded(t *testing.T) {
	w := begun(t, domain.Chat)
	for i := range 3 * circleMemory {
		w.answers(fmt.Sprint(i), 0, part{"query", fmt.Sprint("Q", i)}, part{"query", fmt.Sprint("R", i)})
	}
	if n := len(freeze(w.s.State)); len(w.s.State.Circle.Calls) != circleMemory || n > 6_000 {
		t.Errorf("%d calls are remembered, in a state of %d bytes", len(w.s.State.Circle.Calls), n)
	}
}
