package machine

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/fermata-dev/fermata/domain"
)

const docsFile = "../../docs/state-machine.md"

// TestDocs: the page about the machine is the table itself.
func TestDocs(t *testing.T) {
	want := page()
	if *update {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/state-machine.md is stale: run go test ./orchestrator/machine -run TestDocs -update\n%s", diff(string(got), want))
	}
}

// arrow is a way from one phase to another.
type arrow struct {
	from, to domain.Phase
	on       string
}

// arrows are the ways of the table, each event once for a pair of phases. What is
// noticed on the way to the AI begins wherever a rule leads there.
func arrows() []arrow {
	var list []arrow
	add := func(a arrow) {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	for _, r := range table {
		if r.To == stay || r.To == same {
			continue
		}
		for _, from := range r.From.list {
			add(arrow{from, r.To, r.On})
		}
		if r.From.onTheWay {
			for _, other := range table {
				if other.To == domain.CallingAI {
					for _, from := range other.From.list {
						add(arrow{from, r.To, r.On})
					}
				}
			}
		}
	}
	return list
}

func page() string {
	var b strings.Builder
	b.WriteString("# The state machine\n\n")
	b.WriteString("Generated from `orchestrator/machine/table.go` and `refusals.go` by `go test ./orchestrator/machine -run TestDocs -update`. Do not edit.\n\n")
	b.WriteString("A session is in exactly one phase. For each event, the refusals are checked first, then the rules from top to bottom; the first match applies. Inner events follow in the same step, until an external effect, an idle phase or a wait.\n\n")
	b.WriteString("## Diagram\n\nTransitions that are possible in nearly every phase (stop, suspension, errors, the watchdog, interrupts) are omitted; the table below lists them.\n\n")
	b.WriteString(diagram())
	b.WriteString("\n## Rules\n\n| phase | event | guard | next phase | actions |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range table {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", nameOf(r.From), r.On, guardNames(r.When), target(r.To), actionNames(r.Do))
	}
	b.WriteString("\n\"Stays\" records no transition; \"same\" enters the phase again and records it. Guards and actions are the functions of the same names. An event other than the call's own result that ends a model call records the call with the outcome `cut`.\n")
	b.WriteString("\n## Refusals\n\nThe last lines follow from the rules: an event that has rules is refused in all phases without one.\n\n| phase | event | guard | code | message |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range refusals {
		on := strings.Join(r.On, ", ")
		if r.On == nil {
			on = "every event"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s |\n", nameOf(r.From), on, guardNames(r.When), r.Code, r.Text)
	}
	return b.String()
}

func diagram() string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> IDLE: a chat\n    [*] --> EXECUTING_ENRICHMENTS: an automation\n    [*] --> CALLING_AI: an agent\n")
	type pair struct{ from, to domain.Phase }
	labels := map[pair][]string{}
	var order []pair
	for _, r := range table {
		if len(r.From.list) > 4 || r.To == stay || r.To == same {
			continue
		}
		for _, a := range arrows() {
			if a.on != r.On || a.to != r.To || !r.From.onTheWay && !r.From.has(a.from) {
				continue
			}
			if r.From.onTheWay {
				a.from = domain.CallingAI // drawn once, where the way leads
			}
			p := pair{a.from, a.to}
			if labels[p] == nil {
				order = append(order, p)
			}
			if !slices.Contains(labels[p], a.on) {
				labels[p] = append(labels[p], a.on)
			}
		}
	}
	for _, p := range order {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", p.from, p.to, strings.Join(labels[p], ", "))
	}
	b.WriteString("    COMPLETED --> [*]\n```\n")
	return b.String()
}

func target(p domain.Phase) string {
	switch p {
	case stay:
		return "stays"
	case same:
		return "same"
	}
	return "`" + string(p) + "`"
}

func nameOf(f phases) string {
	if f.name != "" {
		return f.name
	}
	if len(f.list) > len(domain.Phases)/2 {
		var not []string
		for _, p := range domain.Phases {
			if !f.has(p) {
				not = append(not, "`"+string(p)+"`")
			}
		}
		return "any but " + strings.Join(not, ", ")
	}
	var names []string
	for _, p := range f.list {
		names = append(names, "`"+string(p)+"`")
	}
	return strings.Join(names, ", ")
}

func guardNames(list when) string {
	var names []string
	for _, g := range list {
		names = append(names, words(g))
	}
	return strings.Join(names, ", ")
}

func actionNames(list do) string {
	var names []string
	for _, a := range list {
		names = append(names, words(a))
	}
	return strings.Join(names, ", ")
}

// words makes "beginRound" of the function into "begin round".
func words(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = name[strings.LastIndex(name, ".")+1:]
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) {
			if i > 0 && !unicode.IsUpper(runes[i-1]) {
				b.WriteByte(' ')
			}
			if i+1 >= len(runes) || !unicode.IsUpper(runes[i+1]) && (i == 0 || !unicode.IsUpper(runes[i-1])) {
				r = unicode.ToLower(r)
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}
