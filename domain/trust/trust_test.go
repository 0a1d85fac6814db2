package trust

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// read is a session that has read a page.
func read(source string) Writer {
	var t *domain.Taint
	return BySession(t.With(*domain.From(domain.OriginHTTP, source)))
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// TestARowHasTheLeastTrustOfItsWriters: a row is outside as long as one of its fields was last written with external content in
// the prompt.
func TestARowHasTheLeastTrustOfItsWriters(t *testing.T) {
	person, ai, tainted := ByPerson(), BySession(nil), read("WEB.GET (Web)")
	for name, c := range map[string]struct {
		row    Record
		level  string
		fields []string
	}{
		"a person's": {
			person.Created(raw(`{"name":"a"}`)),
			"person", nil,
		},
		"the workspace's": {
			ai.Created(raw(`{"name":"a"}`)),
			"own", nil,
		},
		"a person's, changed": {
			ai.Changed(person.Created(raw(`{"name":"a"}`)), raw(`{"name":"b"}`)),
			"own", nil,
		},
		"outside": {
			tainted.Created(raw(`{"name":"a","description":"","position":3,"data":{"text":"x","n":1}}`)),
			"outside", []string{"data/n", "data/text", "name"},
		},
		"a field from outside": {
			tainted.Changed(person.Created(raw(`{"name":"a"}`)), raw(`{"description":"b"}`)),
			"outside", []string{"description"},
		},
		"no text from outside": {
			tainted.Changed(Record{}, raw(`{"position":3,"always_send":true}`)),
			"own", nil,
		},
		"a person changed one": {
			person.Changed(tainted.Created(raw(`{"name":"a","description":"b"}`)), raw(`{"name":"c"}`)),
			"outside", []string{"description"},
		},
		"a person changed all": {
			person.Changed(tainted.Created(raw(`{"data":{"text":"b"}}`)), raw(`{"data":{"text":"c"}}`)),
			"own", nil,
		},
		"a person replaced all": {
			person.Changed(tainted.Created(raw(`{"data":{"text":"b"}}`)), raw(`{"data":null}`)),
			"own", nil,
		},
		"the AI changed one": {
			ai.Changed(tainted.Created(raw(`{"name":"a","description":"b"}`)), raw(`{"name":"c"}`)),
			"outside", []string{"description"},
		},
		"from outside twice": {
			tainted.Changed(tainted.Created(raw(`{"name":"a"}`)), raw(`{"description":"c"}`)),
			"outside", []string{"description", "name"},
		},
		"a draft, published": {
			tainted.Created(raw(`{"body":"a"}`)).Copied("body", "published_body"),
			"outside", []string{"body", "published_body"},
		},
		"a good draft published": {
			person.Changed(tainted.Created(raw(`{"body":"a"}`)).Copied("body", "published_body"), raw(`{"body":"b"}`)).Copied("body", "published_body"),
			"own", nil,
		},
		"confirmed": {
			Confirm("usr_1", time.Unix(0, 0)),
			"person", nil,
		},
	} {
		if got := c.row.Level.String(); got != c.level || !slices.Equal(c.row.Fields, c.fields) {
			t.Errorf("%s: %s %v, want %s %v", name, got, c.row.Fields, c.level, c.fields)
		}
	}
}

// TestTheSourceStays: a row names the first source, however often it is written again by sessions that have read it.
func TestTheSourceStays(t *testing.T) {
	row := read("WEB.GET (Web)").Created(raw(`{"text":"a"}`))
	for range 3 {
		sources := Read(row, Record{})
		if len(sources) != 1 || sources[0].Source != "WEB.GET (Web)" || sources[0].Role != domain.WordsStored || !sources[0].Origin.Outside() {
			t.Fatalf("the sources are %v", sources)
		}
		var taint *domain.Taint
		row = BySession(taint.With(sources...)).Created(raw(`{"text":"b"}`))
	}
	if from := BySession(nil).From(); from != nil {
		t.Errorf("without external content the source is %v", from)
	}
	if from := read("A").From(); from == nil || from.Role != domain.WordsStored {
		t.Errorf("the source is %v", from)
	}
	if one := One(Read(read("A").Created(raw(`{}`)), read("B").Created(raw(`{}`)))); one == nil || one.Source != "A, B" {
		t.Errorf("both sources are %v", one)
	}
}

// TestOnlyTheFieldsThatAreShown: a prompt that shows other fields of a row has no external content.
func TestOnlyTheFieldsThatAreShown(t *testing.T) {
	row := read("A").Created(raw(`{"body":"a"}`))
	if len(Read(row.Of("title", "published_body"))) != 0 || len(Read(row.Of("body"))) != 1 || len(Read(Record{Level: Outside}.Of("x"))) != 1 {
		t.Error("the sources do not follow the fields")
	}
	many := map[string]map[string]int{"data": {}}
	for i := range 200 {
		many["data"][string(rune('a'+i%26))+string(rune('a'+i/26))] = i
	}
	if got := read("A").Created(many); !slices.Equal(got.Fields, []string{"data"}) {
		t.Errorf("the fields are %v", got.Fields)
	}
}
