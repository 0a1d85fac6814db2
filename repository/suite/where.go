package suite

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// Values that entries have in their fields, and that conditions compare them with.
var (
	someNumbers = []float64{0, -1, 1, 1.5, 0.1, 1e9, 1e290, 9007199254740992, -9007199254740991, 100, 99.99}
	someTexts   = []string{
		"", "a", "A", "b", "S3", "Zürich", "zurich", "ZÜRICH", "Œuvre", "oeuvre", "STRASSE", "Straße", "ŁÓDŹ", "lodz", "Σίσυφος", "σισυφοσ",
		"Привет мир", "ПРИВЕТ", "ёлка", "東京", "e\u0301te\u0301", "été", "50% off_", `it's "odd"\`, "a.b|c*", "😀 smile", "İstanbul", "ﬁn",
	}
	someFields = []userdata.Field{{"amount"}, {"name"}, {"paid"}, {"at", "city"}, {`it's "odd"`}, {"a.b"}, {"absent"}}
)

// conditions: entries are found, ordered and counted by their fields as a plain reading of them would.
func conditions(w *world) {
	random := rand.New(rand.NewPCG(7, 11))
	var entries []userdata.Entry
	for i := range 120 {
		data := map[string]any{}
		for _, field := range someFields[:6] {
			if random.IntN(4) > 0 {
				place(data, field, someValue(random))
			}
		}
		text, err := json.Marshal(data)
		w.ok(err)
		entries = append(entries, entry(fmt.Sprintf("ent_%03d", i), "tol_1", T0.Add(time.Duration(i/3)*time.Hour), string(text)))
	}
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.InsertZone(ctx, zone("zon_1", "z")), d.InsertTool(ctx, tool("tol_1", "zon_1", "t")),
			d.InsertTool(ctx, tool("tol_2", "zon_1", "u")), d.InsertEntries(ctx, entries),
			d.InsertEntries(ctx, []userdata.Entry{entry("ent_other", "tol_2", T0, `{"amount": 1}`)}))
	})
	for range 150 {
		var all []userdata.Condition
		for range 1 + random.IntN(2) {
			all = append(all, someCondition(random))
		}
		w.asked(entries, all, nil, random.IntN(2) == 0)
	}
	for _, field := range someFields {
		for _, descending := range []bool{false, true} {
			w.asked(entries, nil, field, descending)
			w.asked(entries, []userdata.Condition{{Field: userdata.Field{"amount"}, Compare: userdata.CompareExists, Value: true}}, field, descending)
		}
		w.grouped(entries, field)
	}
	w.madeUpCursors()
	w.escapedNUL()
}

// escapedNUL: an entry of an imported archive with an escaped NUL does not keep others from being found.
func (w *world) escapedNUL() {
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.InsertTool(ctx, tool("tol_3", "zon_1", "v")), d.InsertEntries(ctx, []userdata.Entry{
			entry("ent_nul", "tol_3", T0, `{"a": "\u0000", "n": 1}`), entry("ent_text", "tol_3", T0, `{"a": "\\u0000", "n": 2}`),
			entry("ent_plain", "tol_3", T0, `{"a": "x", "n": 3}`),
		}))
	})
	more := userdata.Condition{Field: userdata.Field{"n"}, Compare: userdata.CompareAtLeast, Value: 2.0}
	there := userdata.Condition{Field: userdata.Field{"a"}, Compare: userdata.CompareExists, Value: true}
	for _, all := range [][]userdata.Condition{{more}, {there, more}} {
		found, _, err := w.ReadData(domain.DefaultWorkspace).Entries(w.Context(), userdata.EntryFilter{ToolID: "tol_3", Conditions: all, Limit: 7})
		w.ok(err)
		w.equal(len(found), 2, "entries beside one with an escaped NUL")
	}
}

// madeUpCursors: a cursor that no page ended with is refused, also one that would be an error of the database.
func (w *world) madeUpCursors() {
	read := w.ReadData(domain.DefaultWorkspace)
	byAmount := userdata.EntryFilter{ToolID: "tol_1", Order: userdata.Field{"amount"}, Limit: 7}
	_, ascending, err := read.Entries(w.Context(), byAmount)
	w.ok(err)
	_, byTime, err := read.Entries(w.Context(), userdata.EntryFilter{ToolID: "tol_1", Limit: 7})
	w.ok(err)
	cursors := []string{"garbage", byTime}
	for _, text := range []string{
		`null`, `{}`, `{"o": ["amount"], "i": ""}`, `{"o": ["name"], "i": "ent_1"}`, `{"o": ["amount"], "k": 4, "i": "ent_1"}`,
		`{"o": ["amount"], "k": -2, "i": "ent_1"}`, `{"o": ["amount"], "k": 9223372036854775807, "i": "ent_1"}`,
		`{"o": ["amount"], "k": 1e30, "i": "ent_1"}`, `{"o": ["amount"], "t": "\u0000", "i": "ent_1"}`, `{"o": ["amount"], "i": "ent_\u0000"}`,
		`{"o": ["amount"], "d": true, "i": "ent_1"}`,
	} {
		cursors = append(cursors, base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
	for _, cursor := range cursors {
		byAmount.Cursor = cursor
		_, _, err := read.Entries(w.Context(), byAmount)
		w.code(err, domain.CodeInvalid)
	}
	for _, cursor := range []string{"garbage", base64.RawURLEncoding.EncodeToString([]byte(`{"n": 1, "i": "ent_\u0000"}`))} {
		_, _, err := read.Entries(w.Context(), userdata.EntryFilter{ToolID: "tol_1", Cursor: cursor})
		w.code(err, domain.CodeInvalid)
	}
	byAmount.Cursor, byAmount.Descending = ascending, true
	_, _, err = read.Entries(w.Context(), byAmount)
	w.code(err, domain.CodeInvalid)
}

func place(data map[string]any, field userdata.Field, value any) {
	if len(field) > 1 {
		data[field[0]] = map[string]any{field[1]: value}
		return
	}
	data[field[0]] = value
}

func someValue(random *rand.Rand) any {
	switch random.IntN(9) {
	case 0:
		return random.IntN(2) == 0
	case 1:
		return nil
	case 2:
		return []any{"a", 1}
	case 3, 4, 5:
		return someNumbers[random.IntN(len(someNumbers))]
	}
	return someTexts[random.IntN(len(someTexts))]
}

func someCondition(random *rand.Rand) userdata.Condition {
	scalar := func() any {
		for {
			switch value := someValue(random).(type) {
			case []any:
			default:
				return value
			}
		}
	}
	c := userdata.Condition{Field: someFields[random.IntN(len(someFields))]}
	compare := []userdata.Comparison{
		userdata.CompareEqual, userdata.CompareNotEqual, userdata.CompareLess, userdata.CompareAtMost, userdata.CompareGreater, userdata.CompareAtLeast,
		userdata.CompareIn, userdata.CompareContains, userdata.CompareContains, userdata.CompareExists,
	}
	switch c.Compare = compare[random.IntN(len(compare))]; c.Compare {
	case userdata.CompareExists:
		c.Value = random.IntN(2) == 0
	case userdata.CompareContains:
		part := []rune(someTexts[1+random.IntN(len(someTexts)-1)])
		from := random.IntN(len(part))
		c.Value = string(part[from:min(len(part), from+1+random.IntN(4))])
	case userdata.CompareIn:
		values := []any{}
		for range random.IntN(5) {
			values = append(values, scalar())
		}
		c.Value = values
	case userdata.CompareLess, userdata.CompareAtMost, userdata.CompareGreater, userdata.CompareAtLeast:
		if c.Value = any(someNumbers[random.IntN(len(someNumbers))]); random.IntN(2) == 0 {
			c.Value = someTexts[random.IntN(len(someTexts))]
		}
	default:
		c.Value = scalar()
	}
	return c
}

// asked compares the pages of a filter with a plain filter over all entries.
func (w *world) asked(entries []userdata.Entry, conditions []userdata.Condition, order userdata.Field, descending bool) {
	var want []userdata.Entry
	for _, e := range entries {
		if !slices.ContainsFunc(conditions, func(c userdata.Condition) bool { return !plainly(fieldOf(&e, c.Field), c) }) {
			want = append(want, e)
		}
	}
	slices.SortStableFunc(want, func(a, b userdata.Entry) int {
		sign := 1
		if descending {
			sign = -1
		}
		if c := compareValues(fieldOf(&a, order), fieldOf(&b, order), sign); order != nil && c != 0 {
			return c
		}
		if c := a.Timestamp.Compare(b.Timestamp); c != 0 {
			return sign * c
		}
		return sign * strings.Compare(a.ID, b.ID)
	})
	read := w.ReadData(domain.DefaultWorkspace)
	got := pages(w, func(cursor string) ([]string, string, error) {
		page, next, err := read.Entries(w.Context(), userdata.EntryFilter{
			ToolID: "tol_1", Limit: 7, Cursor: cursor, Conditions: conditions, Order: order, Descending: descending,
		})
		return idsOf(page, func(e userdata.Entry) string { return e.ID }), next, err
	})
	w.equal(append([]string{}, got...), append([]string{}, idsOf(want, func(e userdata.Entry) string { return e.ID })...),
		fmt.Sprintf("entries with %+v by %v, descending %v", conditions, order, descending))
	if order == nil {
		stats, err := read.Stats(w.Context(), userdata.StatsFilter{ToolID: "tol_1", Conditions: conditions})
		w.ok(err)
		w.equal(stats.Count, int64(len(want)), fmt.Sprintf("the number of entries with %+v", conditions))
	}
}

// grouped compares the groups of a field with a plain count.
func (w *world) grouped(entries []userdata.Entry, by userdata.Field) {
	type group struct {
		count int64
		sum   float64
		n     int64
		last  *float64
	}
	want := map[string]*group{}
	for _, e := range entries {
		key := "null"
		switch v := fieldOf(&e, by).(type) {
		case string, bool, float64:
			text, err := json.Marshal(v)
			w.ok(err)
			key = string(text)
		}
		if want[key] == nil {
			want[key] = &group{}
		}
		g := want[key]
		g.count++
		if amount, ok := fieldOf(&e, userdata.Field{"amount"}).(float64); ok {
			g.sum, g.n, g.last = g.sum+amount, g.n+1, new(amount)
		}
	}
	read := w.ReadData(domain.DefaultWorkspace)
	counts, err := read.StatsByField(w.Context(), userdata.StatsFilter{ToolID: "tol_1"}, by, 100)
	w.ok(err)
	w.equal(len(counts), len(want), fmt.Sprintf("groups by %v", by))
	most := int64(math.MaxInt64)
	for _, s := range counts {
		g := want[plainJSON(w, s.Group)]
		if g == nil {
			w.Errorf("there is no group %s of %v", s.Group, by)
			continue
		}
		w.equal(s.Count, g.count, fmt.Sprintf("the group %s of %v", s.Group, by))
		if s.Count > most {
			w.Errorf("the group %s of %v is larger than the one before", s.Group, by)
		}
		most = s.Count
	}
	sums, err := read.StatsByField(w.Context(), userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"amount"}}, by, 100)
	w.ok(err)
	for _, s := range sums {
		g := want[plainJSON(w, s.Group)]
		if g == nil || s.Count != g.n || s.Sum == nil || math.Abs(*s.Sum-g.sum) > math.Abs(g.sum)*1e-9 || *s.Last != *g.last {
			w.Errorf("the group %s of %v has %+v, want %+v", s.Group, by, s, g)
		}
	}
	few, err := read.StatsByField(w.Context(), userdata.StatsFilter{ToolID: "tol_1"}, by, 1)
	w.ok(err)
	w.equal(len(few), min(1, len(want)), "groups within a limit")
}

func plainJSON(w *world, text json.RawMessage) string {
	var value any
	w.ok(json.Unmarshal(text, &value))
	plain, err := json.Marshal(value)
	w.ok(err)
	return string(plain)
}

// missing is the value of a field that is not there.
type missing struct{}

func fieldOf(e *userdata.Entry, field userdata.Field) any {
	var value any
	if json.Unmarshal(e.Data, &value) != nil {
		return missing{}
	}
	for _, name := range field {
		object, ok := value.(map[string]any)
		if !ok {
			return missing{}
		}
		if value, ok = object[name]; !ok {
			return missing{}
		}
	}
	return value
}

// plainly is whether a value meets a condition.
func plainly(value any, c userdata.Condition) bool {
	switch c.Compare {
	case userdata.CompareExists:
		_, absent := value.(missing)
		return absent != (c.Value == true)
	case userdata.CompareEqual:
		return same(value, c.Value)
	case userdata.CompareNotEqual:
		return !same(value, c.Value)
	case userdata.CompareIn:
		values, _ := c.Value.([]any)
		return slices.ContainsFunc(values, func(one any) bool { return same(value, one) })
	case userdata.CompareContains:
		text, ok := value.(string)
		part, _ := c.Value.(string)
		return ok && strings.Contains(folded(text), folded(part))
	}
	var order int
	switch v := value.(type) {
	case float64:
		number, ok := c.Value.(float64)
		if !ok {
			return false
		}
		order = compareValues(v, number, 1)
	case string:
		text, ok := c.Value.(string)
		if !ok {
			return false
		}
		order = strings.Compare(v, text)
	default:
		return false
	}
	switch c.Compare {
	case userdata.CompareLess:
		return order < 0
	case userdata.CompareAtMost:
		return order <= 0
	case userdata.CompareGreater:
		return order > 0
	default:
		return order >= 0
	}
}

func same(value, with any) bool {
	switch value.(type) {
	case missing, []any, map[string]any:
		return false
	}
	return value == with
}

// compareValues orders values by their type and then themselves; what has no order is last whatever the direction.
func compareValues(a, b any, sign int) int {
	rank := func(v any) int {
		switch v.(type) {
		case float64:
			return 0
		case string:
			return 1
		case bool:
			return 2
		}
		return 3
	}
	if ra, rb := rank(a), rank(b); ra != rb {
		return ra - rb
	}
	switch x := a.(type) {
	case float64:
		y, _ := b.(float64)
		switch {
		case x < y:
			return -sign
		case x > y:
			return sign
		}
	case string:
		y, _ := b.(string)
		return sign * strings.Compare(x, y)
	case bool:
		if x != (b == true) {
			if x {
				return sign
			}
			return -sign
		}
	}
	return 0
}

// folded ignores case and accents, in words of its own.
func folded(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	return strings.NewReplacer("œ", "oe", "æ", "ae", "ß", "ss", "ł", "l", "ς", "σ", "ø", "o", "ı", "i").Replace(text)
}
