package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// library is what the stories of the search look for: a diary, a note, a number and a
// document.
func library(w *world) {
	notes := tool("tol_n", "zon_1", "Recipes")
	notes.ToolType = userdata.NotesType
	diary := tool("tol_d", "zon_1", "Diary")
	diary.ToolType = "journal"
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(
			d.InsertZone(ctx, zone("zon_1", "Life")), d.InsertTool(ctx, diary), d.InsertTool(ctx, notes), d.InsertTool(ctx, tool("tol_w", "zon_1", "Weight")),
			d.InsertEntries(ctx, []userdata.Entry{
				entry("ent_run", "tol_d", T0, `{"text":"Ran along the river before breakfast."}`),
				entry("ent_run2", "tol_d", T0.Add(time.Hour), `{"text":"Too tired for the river."}`),
				entry("ent_fr", "tol_d", T0.Add(2*time.Hour), `{"text":"L’été dernier, un dîner près de la forêt : cœur léger."}`),
				entry("ent_odd", "tol_d", T0, `{"text":"tagged","tags":["winter",{"deep":"icicle"}],"n":4}`),
				entry("ent_note", "tol_n", T0, `{"title":"Crème brûlée","text":"Six yolks, sugar,\n\ncream. Bake slowly."}`),
				entry("ent_num", "tol_w", T0, `{"value":71.5}`),
			}),
			d.PutDocument(ctx, &userdata.Document{ID: "doc_1", Key: "about", DocumentFields: userdata.DocumentFields{Title: "About me", Body: "I run by the river."}, Published: "I run by the river.", PublishedAt: new(T0), CreatedAt: T0, UpdatedAt: T0}),
		)
	})
}

// hits are the ids that a search finds, as they are ranked.
func (w *world) hits(workspace, text string, kinds ...userdata.SearchKind) []string {
	w.Helper()
	found, _, err := w.ReadData(workspace).Search(w.Context(), userdata.SearchQuery{Text: text, Kinds: kinds})
	w.ok(err)
	return idsOf(found, func(h userdata.SearchHit) string { return h.ID })
}

func (w *world) finds(text string, want ...string) {
	w.Helper()
	got := w.hits(domain.DefaultWorkspace, text)
	slices.Sort(got)
	slices.Sort(want)
	w.equal(got, append([]string{}, want...), fmt.Sprintf("found for %+q", text))
}

// searching: every word must be there, in whatever kind of text; a hit says where it
// stands and shows it.
func searching(w *world) {
	library(w)
	w.finds("river", "ent_run", "ent_run2", "doc_1")
	w.finds("river tired", "ent_run2")
	w.finds("tired RIVER river", "ent_run2")
	w.finds("riv", "ent_run", "ent_run2", "doc_1")
	w.finds("riv tired") // only the last word may be unfinished
	w.finds("icicle", "ent_odd")
	w.finds("tags")  // a name in the data is no text
	w.finds("71")    // nor is a number
	w.finds("diary") // nor the name of a tool
	w.finds("brulee", "ent_note")
	w.equal(w.hits(domain.DefaultWorkspace, "river", userdata.SearchDocuments), []string{"doc_1"}, "of a kind")
	w.equal(w.hits(domain.DefaultWorkspace, "river", userdata.SearchNotes, userdata.SearchEntries), []string{"ent_run2", "ent_run"}, "of two kinds")
	w.equal(w.hits("other", "river"), []string{}, "in another workspace")

	found, next, err := w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: "slow creme"})
	w.ok(err)
	w.equal([]any{found, next}, []any{[]userdata.SearchHit{}, ""}, "nothing: slow is not whole")
	found, _, err = w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: "creme SLOW"})
	w.ok(err)
	w.equal(found, []userdata.SearchHit{{Kind: userdata.SearchNotes, ID: "ent_note", ToolID: "tol_n", ToolName: "Recipes", ZoneID: "zon_1", ZoneName: "Life",
		Title: "Crème brûlée", Timestamp: T0, Snippet: "Six yolks, sugar, cream. Bake slowly.", Marks: []userdata.SearchMark{{Start: 30, End: 36}},
		Matches: []string{"Crème", "slowly"}}}, "a note")
	found, _, err = w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: "about riv"})
	w.ok(err)
	w.equal(found, []userdata.SearchHit{{Kind: userdata.SearchDocuments, ID: "doc_1", Key: "about", Title: "About me", Timestamp: T0,
		Snippet: "I run by the river.", Marks: []userdata.SearchMark{{Start: 13, End: 18}}, Matches: []string{"About", "river"}}}, "a document")

	e, err := w.ReadData(domain.DefaultWorkspace).Entry(w.Context(), "ent_run")
	w.ok(err)
	e.Data = json.RawMessage(`{"text":"Swam in the lake."}`)
	w.write(func(ctx context.Context, d *repository.Data) error { return d.UpdateEntries(ctx, e) })
	w.finds("river", "ent_run2", "doc_1")
	w.finds("lake", "ent_run")
	longSnippet(w)
	w.sound()
}

// longSnippet: of a long text the part is shown in which the words stand together.
func longSnippet(w *world) {
	text := strings.Repeat("alpha bêta ", 300) + "where gâmma meets dèlta " + strings.Repeat("omega ", 2000)
	w.write(func(ctx context.Context, d *repository.Data) error {
		return d.InsertEntries(ctx, []userdata.Entry{entry("ent_long", "tol_d", T0, fmt.Sprintf(`{"text":%q}`, text))})
	})
	found, _, err := w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: "beta delta gamma"})
	w.ok(err)
	hit := found[0]
	if runes := []rune(hit.Snippet); len(runes) > 320 || runes[0] != '…' || runes[len(runes)-1] != '…' || !strings.Contains(hit.Snippet, "where gâmma meets dèlta omega") {
		w.Errorf("the snippet is %q", hit.Snippet)
	}
	w.equal(hit.Matches, []string{"bêta", "gâmma", "dèlta"}, "words found")
	for _, m := range hit.Marks {
		if word := string([]rune(hit.Snippet)[m.Start:m.End]); !slices.Contains(hit.Matches, word) {
			w.Errorf("a mark is at %q", word)
		}
	}
}

// searchInputs: operators of neither database have a meaning; what holds no word, or
// too many, is refused clearly.
func searchInputs(w *world) {
	library(w)
	for _, text := range []string{
		`"river"`, `river*`, `-river`, `+river`, `river:`, `title:river`, `(river)`, `^river`, `river'`, `river\`, `{title}: river`, `river"--`, `<river>`, `!river`,
		"river\x00", "\xffriver\xfe", "  river\t\n", "ríver", "RIVER", "river's", "%river_",
	} {
		found, _, err := w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: text})
		w.ok(err)
		if !strings.ContainsAny(text, "'t") || text == `river'` {
			w.equal(len(found), 3, fmt.Sprintf("found for %+q", text))
		}
	}
	for _, text := range []string{"river AND tired", "river OR tired", "NOT river", "NEAR(river tired, 2)", "river & !tired", "river <-> tired", "a:*b", "river:*A"} {
		found, _, err := w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: text})
		w.ok(err)
		if strings.ContainsAny(text, "ANO") && len(found) != 0 {
			w.Errorf("%q has an operator: %d were found", text, len(found))
		}
	}
	for _, text := range []string{"", " ", `"`, `-- * ' ( ) :`, "…", "\x00", "🎼", strings.Repeat("x", 10_000), strings.Repeat("a b ", 2_500),
		strings.Repeat("é", 1001), "a b c d e f g h i j k l m n o p q r s t u v w x y z 1 2 3 4 5 6 7 8"} {
		_, _, err := w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: text})
		w.code(err, domain.CodeInvalid)
	}
	w.finds(strings.Repeat("z", 1000))
	for _, cursor := range []string{"garbage", "e30", "eyJuIjotMSwiaSI6IngifQ"} {
		_, _, err := w.ReadData(domain.DefaultWorkspace).Search(w.Context(), userdata.SearchQuery{Text: "river", Cursor: cursor})
		w.code(err, domain.CodeInvalid)
	}
}

// searchWords: made-up words in both languages are found by every way of writing them,
// each in the entry in which it stands, and nowhere else; anything typed gives the same
// on every database, because it is held against a search by hand.
func searchWords(w *world) {
	library(w)
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abcdefghijklmnopqrstuvwxyzàâäæçéèêëîïôœöùûüÿñßøłåžβждך東京한한ｆ²1234567890")
	made := make([]string, 120)
	entries := make([]userdata.Entry, len(made))
	for i := range made {
		var b strings.Builder
		b.WriteString(fmt.Sprintf("%c%c", 'a'+i/26, 'a'+i%26)) // no word begins another
		for range 3 + random.IntN(8) {
			b.WriteRune(letters[random.IntN(len(letters))])
		}
		made[i] = b.String()
	}
	for i := range entries {
		entries[i] = entry(fmt.Sprintf("ent_%03d", i), "tol_d", T0, fmt.Sprintf(`{"text":%q}`, "the "+made[i]+", et voilà "+made[(i+1)%len(made)]+"."))
	}
	w.write(func(ctx context.Context, d *repository.Data) error { return d.InsertEntries(ctx, entries) })
	for i, text := range made {
		for _, written := range []string{text, strings.ToUpper(text), "« " + text + " »", text + "!", plainLetters(text)} {
			got := w.hits(domain.DefaultWorkspace, written)
			slices.Sort(got)
			want := []string{fmt.Sprintf("ent_%03d", (i+len(made)-1)%len(made)), fmt.Sprintf("ent_%03d", i)}
			slices.Sort(want)
			w.equal(got, want, fmt.Sprintf("found for %+q", written))
		}
		w.finds(text+" "+made[(i+1)%len(made)], fmt.Sprintf("ent_%03d", i))
	}
	for written, id := range map[string]string{
		"ete": "ent_fr", "l'ÉTÉ": "ent_fr", "diner pres foret": "ent_fr", "coeur": "ent_fr", "CŒUR LÉG": "ent_fr", "e\u0301te\u0301": "ent_fr",
		"creme BRULEE": "ent_note", "breakfast": "ent_run",
	} {
		w.finds(written, id)
	}
}

// searchScripts: a word is found within a sentence of a script that is written without spaces, or within
// a compound, however its letters are composed.
func searchScripts(w *world) {
	library(w)
	texts := map[string][2]string{
		"ent_th": {"ฉันจะไปประชุมที่กรุงเทพพรุ่งนี้", "ประชุม"}, "ent_th2": {"พรุ่งนี้คุณสมชายมาทำงาน", "สมชาย"},
		"ent_lo": {"ຂ້ອຍຮັກພາສາລາວ", "ພາສາ"}, "ent_km": {"ខ្ញុំរៀនភាសាខ្មែរ", "ភាសា"}, "ent_my": {"ကျွန်တော်ဗမာစကားပြောတယ်", "စကား"},
		"ent_ko": {"오늘회의록정리", "회의록"}, "ent_ko2": {"\u1103\u1162\u1112\u1161\u11a8\u1109\u1162\u11bc", "학생"}, "ent_ko3": {"버전2026출시", "출시"},
		"ent_zh": {"明天开会讨论预算", "预算"}, "ent_ja": {"明日ミーティングがあります", "ミーティング"},
	}
	var entries []userdata.Entry
	for id, text := range texts {
		entries = append(entries, entry(id, "tol_d", T0, fmt.Sprintf(`{"text":%q}`, text[0])))
	}
	w.write(func(ctx context.Context, d *repository.Data) error { return d.InsertEntries(ctx, entries) })
	for id, text := range texts {
		w.finds(text[1], id)
		w.finds(text[0], id)
	}
	w.finds("2026", "ent_ko3")
}

// plainLetters writes a word as on a keyboard without accents.
func plainLetters(text string) string {
	return strings.NewReplacer("à", "a", "â", "a", "ä", "a", "æ", "ae", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "î", "i", "ï", "i", "ô", "o", "œ", "oe",
		"ö", "o", "ù", "u", "û", "u", "ü", "u", "ÿ", "y", "ñ", "n", "ß", "ss", "ø", "o", "ł", "l", "å", "a", "ž", "z", "ｆ", "f", "²", "2").Replace(text)
}

// searchPages: pages put together are the whole, each once; a title weighs more than a
// text, the whole word more than a longer one, and of equals the newest comes first.
func searchPages(w *world) {
	library(w)
	var entries []userdata.Entry
	for i := range 60 {
		entries = append(entries, entry(fmt.Sprintf("ent_p%02d", i), "tol_d", T0.Add(time.Duration(i)*time.Minute), `{"text":"paging"}`))
	}
	entries = append(entries, entry("ent_t1", "tol_n", T0, `{"title":"ordering","text":"of many other things it is said here"}`),
		entry("ent_t2", "tol_n", T0.Add(time.Hour), `{"title":"many","text":"of ordering other things it is said here"}`),
		entry("ent_w1", "tol_d", T0, `{"text":"car of one"}`), entry("ent_w2", "tol_d", T0.Add(time.Hour), `{"text":"carbon of two"}`))
	w.write(func(ctx context.Context, d *repository.Data) error { return d.InsertEntries(ctx, entries) })
	read := w.ReadData(domain.DefaultWorkspace)
	var cursors []string
	got := pages(w, func(cursor string) ([]string, string, error) {
		page, next, err := read.Search(w.Context(), userdata.SearchQuery{Text: "paging", Limit: 7, Cursor: cursor})
		cursors = append(cursors, next)
		return idsOf(page, func(h userdata.SearchHit) string { return h.ID }), next, err
	})
	want := idsOf(entries[:60], func(e userdata.Entry) string { return e.ID })
	slices.Reverse(want)
	w.equal(got, want, "pages, the newest first")
	_, _, err := read.Search(w.Context(), userdata.SearchQuery{Text: "ordering", Cursor: cursors[0]})
	w.code(err, domain.CodeInvalid)
	w.equal(w.hits(domain.DefaultWorkspace, "ordering"), []string{"ent_t1", "ent_t2"}, "a word in the title")
	w.equal(w.hits(domain.DefaultWorkspace, "car"), []string{"ent_w1", "ent_w2"}, "the whole word")
	w.equal(len(w.hits(domain.DefaultWorkspace, "paging")), 50, "a page without a limit")
}

// searchDeletions: what is deleted is not found from that moment, alone, with its tool
// or with its zone; what comes back is found again; what failed was never there.
func searchDeletions(w *world) {
	library(w)
	at := T0.Add(time.Hour)
	step := func(fn func(ctx context.Context, d *repository.Data) error, want ...string) {
		w.Helper()
		w.write(fn)
		w.finds("river", want...)
		w.sound()
	}
	back := func(restore func(d *repository.Data) (bool, error), want ...string) {
		w.Helper()
		step(func(_ context.Context, d *repository.Data) error {
			if done, err := restore(d); err != nil || !done {
				return fmt.Errorf("restored: %t, %w", done, err)
			}
			return nil
		}, want...)
	}
	ctx := w.Context()
	step(func(ctx context.Context, d *repository.Data) error {
		return d.DeleteEntries(ctx, []string{"ent_run2"}, at)
	}, "doc_1", "ent_run")
	step(func(ctx context.Context, d *repository.Data) error { return d.DeleteTool(ctx, "tol_d", at) }, "doc_1")
	w.finds("icicle")
	back(func(d *repository.Data) (bool, error) { return d.RestoreTool(ctx, "tol_d", T0) }, "doc_1", "ent_run")
	w.finds("icicle", "ent_odd")
	back(func(d *repository.Data) (bool, error) { return d.RestoreEntry(ctx, "ent_run2", T0) }, "doc_1", "ent_run", "ent_run2")
	step(func(ctx context.Context, d *repository.Data) error {
		return d.DeleteEntries(ctx, []string{"ent_run2"}, at)
	}, "doc_1", "ent_run")
	step(func(ctx context.Context, d *repository.Data) error { return d.DeleteZone(ctx, "zon_1", at) }, "doc_1")
	w.finds("brulee")
	back(func(d *repository.Data) (bool, error) { return d.RestoreZone(ctx, "zon_1", T0) }, "doc_1", "ent_run")
	w.finds("brulee", "ent_note")
	step(func(ctx context.Context, d *repository.Data) error { return d.DeleteDocument(ctx, "doc_1", at) }, "ent_run")
	back(func(d *repository.Data) (bool, error) { return d.RestoreDocument(ctx, "doc_1", T0) }, "doc_1", "ent_run")

	failed := errors.New("no")
	write := func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.DeleteEntries(ctx, []string{"ent_run"}, at), d.InsertEntries(ctx, []userdata.Entry{entry("ent_new", "tol_d", T0, `{"text":"river"}`)}))
	}
	if err := w.tryWrite(func(ctx context.Context, d *repository.Data) error { return errors.Join(write(ctx, d), failed) }); !errors.Is(err, failed) {
		w.Fatalf("the failure gave %v", err)
	}
	w.finds("river", "doc_1", "ent_run")
	step(func(ctx context.Context, d *repository.Data) error {
		err := d.Savepoint(ctx, func() error { return errors.Join(write(ctx, d), failed) })
		if !errors.Is(err, failed) {
			return err
		}
		return d.InsertEntries(ctx, []userdata.Entry{entry("ent_kept", "tol_d", T0, `{"text":"river"}`)})
	}, "doc_1", "ent_run", "ent_kept")
	w.foreign()
}

// foreign: the same ids and words in another workspace are another thing.
func (w *world) foreign() {
	_, err := w.WriteData(w.Context(), "other", func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		return nil, errors.Join(d.InsertZone(ctx, zone("zon_1", "Theirs")), d.InsertTool(ctx, tool("tol_d", "zon_1", "Log")),
			d.InsertEntries(ctx, []userdata.Entry{entry("ent_run", "tol_d", T0, `{"text":"their river and secret"}`)}))
	})
	w.ok(err)
	w.equal(w.hits("other", "river"), []string{"ent_run"}, "found in the other workspace")
	w.finds("secret")
	w.finds("river", "doc_1", "ent_run", "ent_kept")
	w.write(func(ctx context.Context, d *repository.Data) error { return d.DeleteZone(ctx, "zon_1", T0) })
	w.equal(w.hits("other", "secret"), []string{"ent_run"}, "found there after a deletion here")
	w.sound()
}

// searchDrafts: people find what is in the draft and what was published, once; for
// sessions there is only what was published.
func searchDrafts(w *world) {
	read := w.ReadData(domain.DefaultWorkspace)
	doc := &userdata.Document{ID: "doc_1", Key: "about", DocumentFields: userdata.DocumentFields{Title: "About", Body: "old apple"}, CreatedAt: T0, UpdatedAt: T0}
	put := func() {
		w.Helper()
		w.write(func(ctx context.Context, d *repository.Data) error { return d.PutDocument(ctx, doc) })
		w.sound()
	}
	check := func(text, people, sessions string) {
		w.Helper()
		for _, published := range []bool{false, true} {
			found, _, err := read.Search(w.Context(), userdata.SearchQuery{Text: text, Published: published})
			w.ok(err)
			got := []string{}
			for _, h := range found {
				got = append(got, fmt.Sprintf("%s %t;", h.Snippet, h.Draft))
			}
			w.equal(strings.Join(got, ""), map[bool]string{false: people, true: sessions}[published], fmt.Sprintf("%q, published %t", text, published))
		}
	}
	put()
	check("apple", "old apple true;", "")
	doc.Published, doc.PublishedAt = doc.Body, new(T0)
	put()
	check("apple", "old apple false;", "old apple false;")
	doc.Body = "new pear"
	put()
	check("apple", "old apple false;", "old apple false;")
	check("pear", "new pear true;", "")
	check("about", "new pear true;", "old apple false;")
}
