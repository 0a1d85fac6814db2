package commands

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/commands/documents"
	"github.com/fermata-dev/fermata/commands/edits"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// longDocument is a document of about 100 kB with a heading for each of its sections.
func longDocument() string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "# Section %d\n\n", i)
		for j := range 20 {
			fmt.Fprintf(&b, "Rule %d.%d says what the office does — and why.\n", i, j)
		}
	}
	return b.String()
}

func (w *world) document(key, body string) {
	w.t.Helper()
	at := noon
	if err := w.data.PutDocument(w.t.Context(), &userdata.Document{
		ID:             "doc_" + key,
		Key:            key,
		DocumentFields: userdata.DocumentFields{Title: key, Body: body},
		Published:      body,
		PublishedAt:    &at,
		CreatedAt:      at,
		UpdatedAt:      at,
	}); err != nil {
		w.t.Fatal(err)
	}
}

func editsOf(key string, pairs ...string) string {
	p := editParams{Key: key}
	for i := 0; i < len(pairs); i += 2 {
		p.Edits = append(p.Edits, edits.Edit{Find: pairs[i], Replace: pairs[i+1]})
	}
	return string(jsonbody.Encode(p))
}

// A long document is changed in places; the card shows these, and what runs is what was shown.
func TestALongDocumentIsEditedInPlaces(t *testing.T) {
	w := newWorld(t)
	w.document("long", longDocument())
	p := w.plan(w.command("CONTEXT_EDIT", editsOf("long", "Rule 7.3 says", "Rule 7.3 (new) says", "Rule 90.19 says what the office does — and why.\n", "")),
		w.command("CONTEXT_PUBLISH", `{"key":"long"}`))
	if len(p.Commands.Cards) != 2 || len(p.Commands.Reasons) == 0 {
		t.Fatalf("%+v", p.Commands)
	}
	card := p.Commands.Cards[0]
	if len(card.Before)+len(card.After) > 2000 || !strings.Contains(string(card.Before), "Rule 90.19") || strings.Contains(string(card.After), "Rule 90.19") ||
		!strings.Contains(string(card.After), "Rule 7.3 (new) says what the office does — and why.") {
		t.Errorf("the card: %s\n%s", card.Before, card.After)
	}
	if published := string(p.Commands.Cards[1].After); !strings.Contains(published, "Rule 7.3 (new)") || strings.Contains(published, "Rule 90.19") {
		t.Error("the publication shows another text")
	}
	approve(p.Commands.Actions)
	if outcome := w.act(p.Commands.Actions); outcome.Failed || outcome.Stale != nil {
		t.Fatalf("%+v %+v", outcome, p.Commands.Actions[0].Error)
	}
	want := strings.Replace(strings.Replace(longDocument(), "Rule 7.3 says", "Rule 7.3 (new) says", 1), "Rule 90.19 says what the office does — and why.\n", "", 1)
	if w.docs()["long"].Published != want {
		t.Error("the published text is another one")
	}
}

// Each text must occur exactly once, when its turn comes; the person is not asked about an edit that
// cannot be made.
func TestEditsThatCannotBeMade(t *testing.T) {
	for name, c := range map[string]struct{ params, pointer, code string }{
		"not there":              {editsOf("notes", "green", "blue"), "/edits/0/find", "not_found"},
		"twice":                  {editsOf("notes", "red", "blue"), "/edits/0/find", "not_unique"},
		"other case":             {editsOf("notes", "RED and red", "blue"), "/edits/0/find", "not_found"},
		"itself":                 {editsOf("notes", "one", "one"), "/edits/0/find", "unchanged"},
		"gone by the one before": {editsOf("notes", "one", "two", "one", "three"), "/edits/1/find", "not_found"},
		"made twice before":      {editsOf("notes", "one", "red", "red", "x"), "/edits/1/find", "not_unique"},
		"no document":            {editsOf("nothing", "one", "two"), "/key", ""},
		"no edits":               {`{"key":"notes","edits":[]}`, "/edits", ""},
		"an empty text":          {`{"key":"notes","edits":[{"find":"","replace":"x"}]}`, "/edits/0/find", ""},
		"no replacement":         {`{"key":"notes","edits":[{"find":"one"}]}`, "", ""},
	} {
		w := newWorld(t)
		w.document("notes", "red and red, one")
		p := w.plan(w.command("CONTEXT_EDIT", c.params))
		refused := slices.Concat(p.Refused, p.Commands.Actions)
		if len(refused) != 1 {
			t.Errorf("%s: %+v", name, p)
			continue
		}
		x := refused[0]
		if x.Status != domain.ExecFailed || len(p.Commands.Cards) != 0 || w.docs()["notes"].Body != "red and red, one" {
			t.Errorf("%s: %s %+v, asked about %d", name, x.Status, x.Error, len(p.Commands.Cards))
			continue
		}
		if c.code != "" && (len(x.Error.Fields) != 1 || x.Error.Fields[0].Pointer != c.pointer || x.Error.Fields[0].Code != c.code) {
			t.Errorf("%s: %+v", name, x.Error)
		}
	}
}

// Edits apply to the draft, with what stands before them in the same answer.
func TestEditsApplyToTheDraft(t *testing.T) {
	w := newWorld(t)
	p := w.plan(w.command("CONTEXT_UPDATE", `{"key":"fresh","body":"It opens at six."}`), w.command("CONTEXT_EDIT", editsOf("fresh", "six", "seven")),
		w.command("CONTEXT_EDIT", editsOf("fresh", "seven", "eight")), w.command("CONTEXT_PUBLISH", `{"key":"fresh"}`))
	if len(p.Commands.Cards) != 4 || string(p.Commands.Cards[3].After) != `{"published_body":"It opens at eight."}` {
		t.Fatalf("%+v %+v", p.Commands.Cards, p.Commands.Actions[1].Error)
	}
	approve(p.Commands.Actions)
	if outcome := w.act(p.Commands.Actions); outcome.Failed || outcome.Stale != nil || w.docs()["fresh"].Published != "It opens at eight." {
		t.Errorf("%+v, %q", outcome, w.docs()["fresh"].Published)
	}
	// The draft changes between the card and the approval: the person is asked again.
	stale := w.plan(w.command("CONTEXT_EDIT", editsOf("fresh", "eight", "nine"))).Commands.Actions
	doc := w.docs()["fresh"]
	doc.Body = "It opens at eight, on Mondays."
	if err := w.data.PutDocument(t.Context(), &doc); err != nil {
		t.Fatal(err)
	}
	approve(stale)
	if outcome := w.act(stale); outcome.Stale == nil || w.docs()["fresh"].Body != "It opens at eight, on Mondays." {
		t.Errorf("%+v", outcome)
	}
}

// A long document is read by its parts: by heading, and from a token on until all of it was read.
func TestPartsOfADocument(t *testing.T) {
	w := newWorld(t)
	text := longDocument()
	w.document("long", text)
	w.document("plain", strings.Repeat("é", 9000))
	w.document("fenced", "# One\n```\n# No heading\n```\n## Below\nx\n# Two\ny\n")
	w.env.SeriesBytes = 12_000 // an agent's
	read := func(params string) *domain.Execution {
		x := w.query("CONTEXT", params)
		if len(x.Text) > w.env.SeriesBytes {
			t.Errorf("%s: %d bytes", params, len(x.Text))
		}
		return x
	}
	if x := read(`{"key":"long"}`); !strings.Contains(x.Text, "in all; the rest from") || !strings.Contains(x.Text, "# Section 1;") || !strings.Contains(x.Text, "Rule 0.0") {
		t.Errorf("without a part: %.300s", x.Text)
	}
	if x := read(`{"key":"long","part":{"heading":"section 42"}}`); !strings.Contains(x.Text, "Rule 42.19") || strings.Contains(x.Text, "Rule 43.0") || strings.Contains(x.Text, "Rule 41.") {
		t.Errorf("by heading: %.300s", x.Text)
	}
	if x := read(`{"key":"fenced","part":{"heading":"One"}}`); !strings.Contains(x.Text, "## Below\nx\n") || strings.Contains(x.Text, "# Two\ny") {
		t.Errorf("a section with what is below it: %s", x.Text)
	}
	for params, code := range map[string]string{
		`{"key":"long","part":{"heading":"Section 1000"}}`: "unknown_heading", `{"key":"fenced","part":{"heading":"No heading"}}`: "unknown_heading",
		`{"key":"long","part":{"heading":"Section 1","from":3}}`: "one_of", `{"part":{"from":3}}`: "required",
	} {
		if x := read(params); x.Status != domain.ExecFailed || len(x.Error.Fields) == 0 || x.Error.Fields[0].Code != code || len(x.Error.Message) > 4000 {
			t.Errorf("%s: %s %+v", params, x.Status, x.Error)
		}
	}
	for _, key := range []string{"long", "plain"} {
		var got strings.Builder
		body, at := w.docs()[key].Body, 0
		for from, n := 0, 0; ; n++ {
			x := read(fmt.Sprintf(`{"key":%q,"part":{"from":%d,"tokens":1500}}`, key, from))
			var result struct{ Text string }
			if err := json.Unmarshal(x.Result, &result); err != nil || n > 200 {
				t.Fatalf("%s from %d: %s", key, from, x.Result)
			}
			begin := documents.ByteOf(body, from)
			if begin > at || !strings.HasPrefix(body[begin:], result.Text) || result.Text == "" {
				t.Fatalf("%s: from %d begins at byte %d, and %d were read", key, from, begin, at)
			}
			got.WriteString(result.Text[at-begin:])
			at = begin + len(result.Text)
			_, rest, more := strings.Cut(x.Text, `the rest from {"from": `)
			if !more {
				break
			}
			if _, err := fmt.Sscanf(rest, "%d", &from); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != body {
			t.Errorf("%s: the parts together are %d bytes of %d", key, got.Len(), len(body))
		}
	}
}
