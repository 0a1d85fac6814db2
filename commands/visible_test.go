package commands

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// What a person approves is shown as it is; what runs is what was asked for.
func TestACardShowsInvisibleCharacters(t *testing.T) {
	w := newWorld(t)
	w.env.Settings.RequireValidation = true
	zone := w.zones()["zon_g"]
	zone.Name = "Gua\u202erded" // from before names were held to their rule
	w.put(&zone)
	const params = `{"tool_id":"tol_g","entries":[{"data":{"text":"pay \u202e001\u202c \\ \"x\"","done":false}}]}`
	plan := w.plan(w.command("CREATE_DATA", params))
	cards, err := json.Marshal(plan.Commands.Cards[0])
	if err != nil {
		t.Fatal(err)
	}
	card := plan.Commands.Cards[0]
	var after struct {
		Entries []struct{ Data struct{ Text string } }
	}
	if !strings.Contains(string(card.After), `pay \\u202e001\\u202c \\ \"x\"`) {
		t.Errorf("the values are shown as %s (%+v)", card.After, after)
	}
	if strings.ContainsRune(string(card.After)+card.Text, '\u202e') || !strings.ContainsRune(string(card.Params), '\u202e') && !strings.Contains(string(card.Params), `\u202e`) {
		t.Errorf("the card is %s", cards)
	}
	if got := levels(plan.Commands.Reasons); !strings.Contains(got, "zone") {
		t.Fatal(got)
	}
	for _, r := range plan.Commands.Reasons {
		if strings.ContainsRune(r.Text, '\u202e') || r.Level == domain.LevelZone && !strings.Contains(r.Text, `Gua\u202erded`) {
			t.Errorf("a reason is shown as %q", r.Text)
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":"b"}`: `{"a":"b"}`, `{"a\u202e":["\u200b",1,null,{"x":"\"\u001b\\"}]}`: `{"a\\u202e":["\\u200b",1,null,{"x":"\"\\u001b\\"}]}`,
		"": "", `"\u202e`: `"\u202e`, `{"n":1.50}`: `{"n":1.50}`, `"a\nb"`: `"a\nb"`,
	} {
		if got := string(visibleJSON(json.RawMessage(value))); got != want {
			t.Errorf("%s is shown as %s, want %s", value, got, want)
		}
	}
}

// TestNamesAreOneLine verifies that one rule applies to all names, regardless of their source.
func TestNamesAreOneLine(t *testing.T) {
	for _, name := range []string{"two\\nlines", "\\u202eabc", "\\u001b[1m", "zero\\u200bwidth", "sep\\u2028"} {
		for command, params := range map[string]string{
			"CREATE_ZONE": `{"name":"` + name + `"}`, "UPDATE_ZONE": `{"zone_id":"zon_h","name":"` + name + `"}`,
			"CREATE_TOOL": `{"zone_id":"zon_h","tool_type":"notes","name":"` + name + `"}`, "UPDATE_TOOL": `{"tool_id":"tol_j","name":"` + name + `"}`,
			"CREATE_TOOL_TYPE": strings.Replace(newType, "Mood", name, 1), "CONTEXT_UPDATE": `{"key":"new","title":"` + name + `","body":"x"}`,
		} {
			w := newWorld(t)
			if e, _ := w.do(command, params); e.Status != domain.ExecFailed || !strings.Contains(e.Error.Message, "one line") {
				t.Errorf("%s %s: %s %+v", command, params, e.Status, e.Error)
			}
		}
	}
}
