package demo

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fermata-dev/fermata/internal/shorten"
)

type object = map[string]any

// record is a zone, a tool or an entry in a result.
type record struct {
	id, name, toolType, zone string
	key                      string // of a document
	data, fields             object
}

func (r record) text(field string) string {
	s, _ := r.fields[field].(string)
	return s
}

// found are the records of a result, in their order.
type found struct {
	zones, tools, entries []record
	types, documents      []record // tool types by their id, documents by their key
	hits                  []record // of a search
	stats                 object   // the first object that counts something
	groups                []record // the same by day, week or month
}

// maxAttempts bounds how many brackets are tried that turn out to open no JSON.
const maxAttempts = 100

// look reads a result: words, with JSON values between them. It goes by the prefixes
// of ids and not by the place of things.
func look(s step) (f found) {
	text := s.text
	for failed := 0; failed < maxAttempts; {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			break
		}
		text = text[at:]
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if decoder.Decode(&value) != nil {
			text = text[1:]
			failed++
			continue
		}
		f.walk(value, "")
		text = text[decoder.InputOffset():]
	}
	return f
}

func (f *found) walk(value any, zone string) {
	if list, ok := value.([]any); ok {
		for _, item := range list {
			f.walk(item, zone)
		}
	}
	v, ok := value.(object)
	if !ok || f.take(v, zone) {
		return
	}
	if id, _ := v["id"].(string); strings.HasPrefix(id, "zon_") {
		zone = id
	}
	for _, k := range slices.Sorted(maps.Keys(v)) {
		f.walk(v[k], zone)
	}
}

// take adds an object to the records that it is one of. What is inside it is read too, unless it is whole.
func (f *found) take(v object, zone string) (whole bool) {
	r := record{fields: v}
	r.id, r.name, r.toolType, r.zone, r.key = r.text("id"), r.text("name"), r.text("tool_type"), r.text("zone_id"), r.text("key")
	if r.name == "" {
		r.name = r.text("title")
	}
	if r.zone == "" {
		r.zone = zone
	}
	r.data, _ = v["data"].(object)
	has := func(field string) bool { _, ok := v[field]; return ok }
	switch {
	case has("snippet"):
		f.hits, whole = append(f.hits, r), true
	case has("schema") && r.toolType != "":
		r.id = r.toolType
		f.types, whole = append(f.types, r), true
	case r.id == "" && r.key != "":
		f.documents, whole = append(f.documents, r), true
	case strings.HasPrefix(r.id, "ent_"):
		f.entries, whole = append(f.entries, r), true // what is inside is the person's
	case strings.HasPrefix(r.id, "zon_"):
		f.zones = append(f.zones, r)
	case strings.HasPrefix(r.id, "tol_"):
		f.tools = append(f.tools, r)
	}
	switch {
	case whole || !has("count"):
	case has("bucket"):
		f.groups = append(f.groups, r)
	case f.stats == nil:
		f.stats = v
	}
	return whole
}

var cursorNote = regexp.MustCompile(`go on with cursor ("(?:[^"\\]|\\.)*")`)

// cursorIn is where a page that is not the last says that the next one begins.
func cursorIn(text string) (cursor string) {
	m := cursorNote.FindAllStringSubmatch(text, -1)
	if len(m) == 0 || json.Unmarshal([]byte(m[len(m)-1][1]), &cursor) != nil {
		return ""
	}
	return cursor
}

// unitOf is the unit in a tool's config, else the one that the person said.
func unitOf(tool record, said string) string {
	config, _ := tool.fields["config"].(object)
	if unit, _ := config["unit"].(string); unit != "" {
		return unit
	}
	return said
}

func after(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// best finds the record whose name fits best.
func best(records []record, name string) (found record, ok bool) {
	want, score := keyOf(name), 0
	for _, r := range records {
		have, s := keyOf(r.name), 0
		switch {
		case have == want:
			s = 3
		case want == "" || have == "":
		case strings.HasPrefix(have, want) || strings.HasPrefix(want, have):
			s = 2
		case strings.Contains(have, want) || strings.Contains(want, have):
			s = 1
		}
		if s > score {
			found, score = r, s
		}
	}
	return found, score > 0
}

// exact is the record of just that name.
func exact(records []record, name string) (record, bool) {
	r, ok := best(records, name)
	return r, ok && keyOf(r.name) == keyOf(name)
}

var (
	accents = strings.NewReplacer(
		"à", "a", "â", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i",
		"ô", "o", "ö", "o", "ù", "u", "û", "u", "ü", "u", "ç", "c", "œ", "oe", "æ", "ae", "ß", "ss", "ñ", "n",
	)
	articles = regexp.MustCompile(`^(?:my|the|our|an?|of|for|some|mon|ma|mes|notre|nos|les?|la|l|une?|du|des?|d|aux?)$`)
	// leading is the article before a word: "du lait".
	leading = regexp.MustCompile(`(?i)^(?:de la |de l'|du |des |de |d'|l'|le |la |les |une? |some |an? |the |my |mon |ma |mes )(.)`)
	notID   = regexp.MustCompile(`[^a-z0-9]+`)
)

// keyOf is a name as it is compared: without accents, articles, case and plural s.
func keyOf(name string) string {
	var kept []string
	for _, f := range strings.FieldsFunc(accents.Replace(strings.ToLower(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if articles.MatchString(f) {
			continue
		}
		if len(f) > 3 {
			f = strings.TrimSuffix(f, "s")
		}
		kept = append(kept, f)
	}
	return strings.Join(kept, " ")
}

// title makes a name of words that a person wrote: "shopping list" -> "Shopping list".
func title(name string) string {
	r := []rune(strings.TrimSpace(name))
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

func withoutArticle(text string) string {
	return strings.TrimSpace(leading.ReplaceAllString(strings.TrimSpace(text), "$1"))
}

// slug is a name as an id: "House rules" -> "house-rules". It begins with a letter.
func slug(name, otherwise string) string {
	id := notID.ReplaceAllString(accents.Replace(strings.ToLower(name)), "-")
	id = strings.TrimLeft(id, "-0123456789")
	if id = strings.Trim(id[:min(len(id), 60)], "-"); id == "" {
		return otherwise
	}
	return id
}

func oneLine(text string) string {
	return shorten.Characters(strings.Join(strings.Fields(text), " "), 300)
}
