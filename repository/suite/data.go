package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// write changes the data of the default workspace and demands success.
func (w *world) write(fn func(ctx context.Context, d *repository.Data) error) {
	w.Helper()
	w.ok(w.tryWrite(fn))
}

func (w *world) tryWrite(fn func(ctx context.Context, d *repository.Data) error) error {
	_, err := w.WriteData(w.Context(), domain.DefaultWorkspace, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		return nil, fn(ctx, d)
	})
	return err
}

func tool(id, zone, name string) *userdata.Tool {
	return &userdata.Tool{ID: id, ToolFields: userdata.ToolFields{ZoneID: zone, ToolType: "tracking", Name: name, Config: json.RawMessage(`{"unit" : "kg"}`), AlwaysSend: true}, CreatedAt: T0, UpdatedAt: T0}
}

func entry(id, tool string, at time.Time, data string) userdata.Entry {
	return userdata.Entry{ID: id, ToolID: tool, Timestamp: at, Data: json.RawMessage(data), SessionID: "ses_1", CreatedAt: T0, UpdatedAt: T0}
}

// dataRules: versions detect conflicts, deletion includes dependent records and can be undone, and changes are
// written to the log.
func dataRules(w *world) {
	ctx := w.Context()
	read := w.ReadData(domain.DefaultWorkspace)
	seq, err := w.WriteData(ctx, domain.DefaultWorkspace, func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
		err := errors.Join(d.InsertZone(ctx, zone("zon_1", "Health")), d.InsertTool(ctx, tool("tol_1", "zon_1", "Weight")),
			d.InsertTool(ctx, tool("tol_2", "zon_1", "Sleep")),
			d.InsertEntries(ctx, []userdata.Entry{entry("ent_1", "tol_1", T0, `{"value": 71.50}`), entry("ent_2", "tol_2", T0, `{}`)}))
		return []domain.DataChange{{Noun: "zone", ID: "zon_1", Operation: "created"}, {Noun: "tool", ID: "tol_1", Operation: "created"}}, err
	})
	w.ok(err)
	w.equal(seq, int64(2), "number at which the change shows")
	w.equal(len(w.reported), 1, "changes reported")

	z, err := read.Zone(ctx, "zon_1")
	w.ok(err)
	stale := *z
	z.Name, z.Position, z.RequireValidation, z.UpdatedAt = "Body", 3, true, T0.Add(time.Hour)
	w.write(func(ctx context.Context, d *repository.Data) error { return d.UpdateZone(ctx, z) })
	got, err := read.Zone(ctx, "zon_1")
	w.ok(err)
	w.equal(got, z, "the zone after its update")
	if err := w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.UpdateZone(ctx, &stale) }); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a stale zone gave %v", err)
	}
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.UpdateZone(ctx, zone("zon_x", "x")) }), domain.CodeNotFound)
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error {
		return d.InsertTool(ctx, tool("tol_x", "zon_x", "x"))
	}), domain.CodeNotFound)
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error {
		return d.InsertEntries(ctx, []userdata.Entry{entry("ent_x", "tol_x", T0, `{}`)})
	}), domain.CodeNotFound)

	e, err := read.Entry(ctx, "ent_1")
	w.ok(err)
	w.equal(string(e.Data), `{"value": 71.50}`, "data byte for byte")
	e.Data, e.Timestamp = json.RawMessage(`{"value":72}`), T0.Add(time.Minute)
	t, err := read.Tool(ctx, "tol_1")
	w.ok(err)
	t.Name = "Mass"
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.UpdateEntries(ctx, e), d.UpdateTool(ctx, t))
	})
	w.equal([]int64{e.Version, t.Version}, []int64{2, 2}, "versions after the updates")

	at := T0.Add(time.Hour)
	w.write(func(ctx context.Context, d *repository.Data) error { return d.DeleteTool(ctx, "tol_2", T0) })
	w.write(func(ctx context.Context, d *repository.Data) error { return d.DeleteZone(ctx, "zon_1", at) })
	_, err = read.Entry(ctx, "ent_1")
	w.code(err, domain.CodeNotFound)
	w.write(func(ctx context.Context, d *repository.Data) error { return undone(d.RestoreZone(ctx, "zon_1", at)) })
	tools, err := read.Tools(ctx, "zon_1")
	w.ok(err)
	w.equal([]any{len(tools), tools[0].Name}, []any{1, "Mass"}, "tools after the undo: not the one that was deleted before")
	back, err := read.Entry(ctx, "ent_1")
	w.ok(err)
	w.equal(back, e, "the entry after the undo")
	w.write(func(ctx context.Context, d *repository.Data) error {
		return d.DeleteEntries(ctx, []string{"ent_1", "ent_1"}, T0)
	})
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error {
		return d.DeleteEntries(ctx, []string{"ent_1"}, T0)
	}), domain.CodeNotFound)
	w.sound()
}

// manyEntries: changed at once, all or none, by more than a statement takes; those that are
// named are found, and no others.
func manyEntries(w *world) {
	ctx := w.Context()
	read := w.ReadData(domain.DefaultWorkspace)
	var entries []userdata.Entry
	var ids []string
	for i := range 250 {
		ids = append(ids, fmt.Sprintf("ent_%03d", i))
		entries = append(entries, entry(ids[i], "tol_1", T0.Add(time.Duration(i)*time.Hour), fmt.Sprintf(`{"value": %d}`, i)))
	}
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.InsertZone(ctx, zone("zon_1", "z")), d.InsertTool(ctx, tool("tol_1", "zon_1", "t")), d.InsertTool(ctx, tool("tol_2", "zon_1", "t")),
			d.InsertEntries(ctx, entries), d.InsertEntries(ctx, []userdata.Entry{entry("ent_other", "tol_2", T0, `{}`)}))
	})
	named := func() map[string]userdata.Entry {
		found, next, err := read.Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", IDs: append([]string{"ent_other", "ent_x", "ent'"}, ids...)})
		w.ok(err)
		w.equal([]any{len(found), next}, []any{len(ids), ""}, "entries that are named")
		byID := map[string]userdata.Entry{}
		for i := range found {
			byID[found[i].ID] = found[i]
		}
		return byID
	}
	before := named()
	var changed []*userdata.Entry
	for i, id := range ids[:240] {
		e := before[id]
		e.Data, e.SessionID, e.UpdatedAt = json.RawMessage(fmt.Sprintf(`{"value":"it's %d"}`, i)), "", T0.Add(time.Minute)
		e.Timestamp = e.Timestamp.Add(time.Microsecond)
		changed = append(changed, &e)
	}
	update := func() error {
		return w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.UpdateEntries(ctx, changed...) })
	}
	changed[230].Version = 7
	if err := update(); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a stale entry among many gave %v", err)
	}
	w.equal(named(), before, "the entries after what failed")
	for _, e := range changed {
		e.Version = 1 // whatever a transaction that failed made of it
	}
	last := changed[239].ID
	changed[239].ID = "ent_x"
	w.code(update(), domain.CodeNotFound)
	changed[239].ID = last
	for _, e := range changed {
		e.Version = 1
	}
	w.ok(update())
	after := named()
	for _, e := range changed {
		w.equal([]any{e.Version, after[e.ID]}, []any{int64(2), *e}, "an entry after the change")
	}
	w.equal(after["ent_249"], before["ent_249"], "an entry that was not changed")
	w.sound()
}

// documents: by key and by id, versions decide, a key is free again after a deletion.
func documents(w *world) {
	ctx := w.Context()
	read := w.ReadData(domain.DefaultWorkspace)
	doc := &userdata.Document{ID: "doc_1", Key: "about", DocumentFields: userdata.DocumentFields{Title: "About", Body: "draft"}, CreatedAt: T0, UpdatedAt: T0}
	w.write(func(ctx context.Context, d *repository.Data) error { return d.PutDocument(ctx, doc) })
	stale := *doc
	doc.Published, doc.PublishedAt = doc.Body, new(T0)
	w.write(func(ctx context.Context, d *repository.Data) error { return d.PutDocument(ctx, doc) })
	if err := w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.PutDocument(ctx, &stale) }); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a stale document gave %v", err)
	}
	for _, find := range []func() (*userdata.Document, error){
		func() (*userdata.Document, error) { return read.Document(ctx, "about") },
		func() (*userdata.Document, error) { return read.DocumentByID(ctx, "doc_1") },
	} {
		got, err := find()
		w.ok(err)
		w.equal(got, doc, "the document")
	}
	w.write(func(ctx context.Context, d *repository.Data) error { return d.DeleteDocument(ctx, "doc_1", T0) })
	_, err := read.Document(ctx, "about")
	w.code(err, domain.CodeNotFound)
	again := &userdata.Document{ID: "doc_2", Key: "about", CreatedAt: T0, UpdatedAt: T0}
	w.write(func(ctx context.Context, d *repository.Data) error { return d.PutDocument(ctx, again) })
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error {
		return undone(d.RestoreDocument(ctx, "doc_1", T0))
	}), domain.CodeConflict)
	w.write(func(ctx context.Context, d *repository.Data) error { return d.DeleteDocument(ctx, "doc_2", T0) })
	w.write(func(ctx context.Context, d *repository.Data) error {
		return undone(d.RestoreDocument(ctx, "doc_1", T0))
	})
	versions(w, doc)

	own := &userdata.ToolType{ID: "run", ToolTypeFields: userdata.ToolTypeFields{Name: "Run", ConfigSchema: json.RawMessage(`{ }`), EntrySchema: json.RawMessage(`true`)}, CreatedAt: T0, UpdatedAt: T0}
	w.write(func(ctx context.Context, d *repository.Data) error { return d.InsertToolType(ctx, own) })
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.InsertToolType(ctx, own) }), domain.CodeConflict)
	types, err := read.ToolTypes(ctx)
	w.ok(err)
	w.equal(types, []userdata.ToolType{*own}, "tool types")
	old := *own
	own.Name, own.EntrySchema, own.UpdatedAt = "Jog", json.RawMessage(`{"type":"object"}`), T0.Add(time.Hour)
	w.write(func(ctx context.Context, d *repository.Data) error { return d.UpdateToolType(ctx, own) })
	w.equal(own.Version, int64(2), "version after the update")
	changed, err := read.ToolType(ctx, "run")
	w.ok(err)
	w.equal(changed, own, "the tool type after its update")
	if err := w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.UpdateToolType(ctx, &old) }); !errors.Is(err, domain.ErrStale) {
		w.Fatalf("a stale tool type gave %v", err)
	}
	w.write(func(ctx context.Context, d *repository.Data) error { return d.DeleteToolType(ctx, "run") })
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error { return d.DeleteToolType(ctx, "run") }), domain.CodeNotFound)
}

// versions: what was published stays readable, the latest first.
func versions(w *world, doc *userdata.Document) {
	ctx, read := w.Context(), w.ReadData(domain.DefaultWorkspace)
	for i := range 3 {
		w.write(func(ctx context.Context, d *repository.Data) error {
			have, err := d.DocumentByID(ctx, doc.ID)
			if err != nil {
				return err
			}
			have.Body = fmt.Sprintf("text %d", i)
			have.Published, have.PublishedAt = have.Body, new(T0.Add(time.Duration(i)*time.Hour))
			if err := d.PutDocument(ctx, have); err != nil {
				return err
			}
			return d.KeepDocumentVersion(ctx, have.ID, &userdata.DocumentVersion{
				Version: have.Version, Title: have.Title, Body: have.Published, PublishedAt: *have.PublishedAt,
				AuthorID: "per_1", AuthorName: "Ada", SessionID: "ses_1",
			})
		})
	}
	var texts []string
	w.equal(len(pages(w, func(cursor string) ([]string, string, error) {
		page, next, err := read.DocumentVersions(ctx, doc.ID, cursor, 2)
		for _, v := range page {
			one, err := read.DocumentVersion(ctx, doc.ID, v.Version)
			w.ok(err)
			w.equal([]any{v.Body, one.Title, one.PublishedAt}, []any{"", v.Title, v.PublishedAt}, "a version in the list, and alone")
			w.equal([]string{v.AuthorID, v.AuthorName, v.SessionID}, []string{"per_1", "Ada", "ses_1"}, "who published it, in the list")
			w.equal([]string{one.AuthorID, one.AuthorName, one.SessionID}, []string{"per_1", "Ada", "ses_1"}, "who published it, alone")
			texts = append(texts, one.Body)
		}
		return idsOf(page, func(v userdata.DocumentVersion) string { return fmt.Sprint(v.Version) }), next, err
	})), 3, "published versions")
	w.equal(texts, []string{"text 2", "text 1", "text 0"}, "their texts")
	_, err := read.DocumentVersion(ctx, doc.ID, 1)
	w.code(err, domain.CodeNotFound)
}

// statistics are those of the numbers in a period; what is no number is left out.
func statistics(w *world) {
	ctx := w.Context()
	var entries []userdata.Entry
	for i, data := range []string{`{"value": 3}`, `{"value": -1.5}`, `{"value": "9"}`, `{"other": 7}`, `{"value": null}`, `{"value": 2.5e0, "it's \"odd\"": 4, "huge": 1.7e308}`, `{"huge": 1.7e308}`, `{"huge": -1.7e+308, "large": 1e200}`, `{"large": 3e200, "tiny": 1e-400}`} {
		entries = append(entries, entry(fmt.Sprintf("ent_%d", i), "tol_1", T0.Add(time.Duration(i)*time.Hour), data))
	}
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.InsertZone(ctx, zone("zon_1", "z")), d.InsertTool(ctx, tool("tol_1", "zon_1", "t")), d.InsertEntries(ctx, entries))
	})
	read := w.ReadData(domain.DefaultWorkspace)
	all, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"value"}})
	w.ok(err)
	w.equal(all, userdata.Stats{Count: 3, Min: new(-1.5), Max: new(3.0), Mean: new(4.0 / 3), Sum: new(4.0), Last: new(2.5)}, "of all")
	some, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"value"}, From: T0, Until: T0.Add(5 * time.Hour)})
	w.ok(err)
	w.equal(some, userdata.Stats{Count: 2, Min: new(-1.5), Max: new(3.0), Mean: new(0.75), Sum: new(1.5), Last: new(-1.5)}, "of a period")
	odd, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{`it's "odd"`}})
	w.ok(err)
	w.equal(odd.Count, int64(1), "of a field with an odd name")
	none, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"absent"}})
	w.ok(err)
	w.equal(none, userdata.Stats{}, "of a field that is not there")
	n, err := read.CountEntries(ctx, "tol_1")
	w.ok(err)
	w.equal(n, int64(9), "entries")
	huge, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"huge"}})
	w.ok(err)
	w.equal(huge, userdata.Stats{}, "of numbers that have no sum")
	large, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"large"}})
	w.ok(err)
	w.equal(large, userdata.Stats{Count: 2, Min: new(1e200), Max: new(3e200), Mean: new(2e200), Sum: new(4e200), Last: new(3e200)}, "of numbers whose squares are none")
	tiny, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1", Field: userdata.Field{"tiny"}})
	w.ok(err)
	w.equal(tiny, userdata.Stats{Count: 1, Min: new(0.0), Max: new(0.0), Mean: new(0.0), Sum: new(0.0), Last: new(0.0)}, "of a number that is nearly none")
}

// cursors: pages put together are the whole, in order, both ways; garbage is refused.
func cursors(w *world) {
	ctx := w.Context()
	var entries []userdata.Entry
	for i := range 25 { // five at each instant: the id decides
		entries = append(entries, entry(fmt.Sprintf("ent_%02d", i), "tol_1", T0.Add(time.Duration(i/5)*time.Hour), `{}`))
	}
	w.write(func(ctx context.Context, d *repository.Data) error {
		for i := range 7 {
			z := zone(fmt.Sprintf("zon_%d", i), fmt.Sprintf("name %d", 9-i))
			z.Position = i / 3
			if err := d.InsertZone(ctx, z); err != nil {
				return err
			}
		}
		for i := range 5 {
			if err := d.PutDocument(ctx, &userdata.Document{ID: fmt.Sprintf("doc_%d", i), Key: fmt.Sprintf("k%d", i), CreatedAt: T0, UpdatedAt: T0}); err != nil {
				return err
			}
		}
		return errors.Join(d.InsertTool(ctx, tool("tol_1", "zon_0", "t")), d.InsertTool(ctx, tool("tol_2", "zon_1", "t")), d.InsertEntries(ctx, entries))
	})
	read := w.ReadData(domain.DefaultWorkspace)
	for _, descending := range []bool{false, true} {
		got := pages(w, func(cursor string) ([]string, string, error) {
			page, next, err := read.Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", From: T0.Add(time.Hour), Until: T0.Add(4 * time.Hour), Limit: 4, Cursor: cursor, Descending: descending})
			return idsOf(page, func(e userdata.Entry) string { return e.ID }), next, err
		})
		want := idsOf(entries[5:20], func(e userdata.Entry) string { return e.ID })
		if descending {
			slices.Reverse(want)
		}
		w.equal(got, want, fmt.Sprintf("entries, descending %v", descending))
	}
	w.equal(pages(w, func(cursor string) ([]string, string, error) {
		page, next, err := read.ZonesPage(ctx, cursor, 2)
		return idsOf(page, func(z userdata.Zone) string { return z.ID }), next, err
	}), []string{"zon_2", "zon_1", "zon_0", "zon_5", "zon_4", "zon_3", "zon_6"}, "zones by position, then name")
	w.equal(pages(w, func(cursor string) ([]string, string, error) {
		page, next, err := read.ToolsPage(ctx, "", cursor, 1)
		return idsOf(page, func(t userdata.Tool) string { return t.ID }), next, err
	}), []string{"tol_1", "tol_2"}, "tools")
	w.equal(len(pages(w, func(cursor string) ([]string, string, error) {
		page, next, err := read.DocumentsPage(ctx, cursor, 2)
		return idsOf(page, func(d userdata.Document) string { return d.ID }), next, err
	})), 5, "documents")
	_, _, err := read.Entries(ctx, userdata.EntryFilter{ToolID: "tol_1", Cursor: "garbage"})
	w.code(err, domain.CodeInvalid)
	sessionCursors(w)
}

// sessionsBySaid: words are found where a person or the AI said them, whatever stands around them
// in the row, and a name counts as before.
func sessionsBySaid(w *world, list func(domain.SessionFilter) []string) {
	talk := w.stored("Talk", func(s *domain.Session) { s.CreatedAt = T0.Add(-time.Hour) })
	c := w.change(talk)
	question := `Where is the "blue" kettle, 100%? <b>`
	w.say(c, talk, domain.SenderUser, "").Rich = &domain.RichContent{Segments: []domain.Segment{{Type: domain.SegmentText, Text: question}}, LinearText: question}
	w.say(c, talk, domain.SenderAI, "").AI = &domain.AIMessage{PreText: "In the cupboard downstairs."}
	w.say(c, talk, domain.SenderUser, "").Rich = &domain.RichContent{LinearText: "nothing \x00 and \\u0000 stop it"}
	w.say(c, talk, domain.SenderSystem, "of the server")
	w.ok(w.Commit(w.Context(), c))
	for query, want := range map[string]int{`"BLUE" kettle`: 1, "100%? <b>": 1, "Downstairs": 1, "talk": 1, "segments": 0, "pre_text": 0, "kettle_": 0, "of the server": 0} {
		w.equal(len(list(domain.SessionFilter{Query: query, InMessages: true})), want, "said: "+query)
	}
	w.equal(len(list(domain.SessionFilter{Query: "kettle"})), 0, "names alone, if it is not said")
}

func sessionCursors(w *world) {
	var want []string
	for i := range 7 {
		s := w.stored(fmt.Sprintf("Session 100%% %d", i), func(s *domain.Session) { s.CreatedAt = T0.Add(time.Duration(i/2) * time.Second) })
		want = append(want, s.ID)
		c := w.change(s)
		c.Approvals = []*domain.Approval{approval(s, fmt.Sprintf("apr_%d", i), domain.ApprovalOutcome)}
		w.ok(w.Commit(w.Context(), c))
	}
	slices.Reverse(want)
	list := func(f domain.SessionFilter) []string {
		return pages(w, func(cursor string) ([]string, string, error) {
			f.Cursor, f.Limit = cursor, 3
			page, next, err := w.Sessions.Sessions(w.Context(), domain.DefaultWorkspace, f)
			return idsOf(page, func(s *domain.Session) string { return s.ID }), next, err
		})
	}
	w.equal(list(domain.SessionFilter{}), want, "sessions, newest first")
	w.equal(list(domain.SessionFilter{Query: "session 100% 6", Status: domain.StatusIdle, Type: domain.Chat}), want[:1], "by name")
	w.equal(len(list(domain.SessionFilter{Query: "100_"})), 0, "a wildcard is a character")
	sessionsBySaid(w, list)
	w.equal(len(list(domain.SessionFilter{Since: T0.Add(2 * time.Second)})), 3, "since")
	w.equal(len(list(domain.SessionFilter{Status: domain.StatusRunning})), 0, "by status")
	asked := func(f domain.ApprovalFilter) []string {
		return pages(w, func(cursor string) ([]string, string, error) {
			f.Cursor, f.Limit = cursor, 2
			page, next, err := w.Approvals.Approvals(w.Context(), domain.DefaultWorkspace, f)
			return idsOf(page, func(a *domain.Approval) string { return a.ID }), next, err
		})
	}
	all := asked(domain.ApprovalFilter{Status: domain.ApprovalStatusOpen})
	w.equal(len(all), 7, "open approvals")
	first, err := w.Approvals.Approval(w.Context(), domain.DefaultWorkspace, all[0])
	w.ok(err)
	w.equal(asked(domain.ApprovalFilter{SessionID: first.SessionID, Kind: first.Kind}), all[:1], "those of a session")
	w.equal(len(asked(domain.ApprovalFilter{SessionID: first.SessionID, Kind: domain.ApprovalPoisoned})), 0, "of another kind")
	w.equal(len(asked(domain.ApprovalFilter{Status: domain.ApprovalStatusRefused})), 0, "refused ones")

	w.ok(w.Approvals.WithdrawLinks(w.Context(), domain.DefaultWorkspace, first.ID))
	withdrawn, err := w.Approvals.Approval(w.Context(), domain.DefaultWorkspace, first.ID)
	w.ok(err)
	first.LinkEpoch++
	w.equal(withdrawn, first, "an approval whose links were withdrawn")
	w.equal(domain.ErrorCode(w.Approvals.WithdrawLinks(w.Context(), domain.DefaultWorkspace, "apr_gone")), domain.CodeNotFound, "of no approval")
}

func idsOf[T any](list []T, id func(T) string) []string {
	out := []string{}
	for _, v := range list {
		out = append(out, id(v))
	}
	return out
}

// pages reads page after page to the end.
func pages(w *world, read func(cursor string) ([]string, string, error)) []string {
	all, cursor := []string{}, ""
	for range 100 {
		page, next, err := read(cursor)
		w.ok(err)
		all = append(all, page...)
		if next == "" {
			return all
		}
		cursor = next
	}
	w.Fatal("the pages have no end")
	return nil
}
