package suite

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// rowsKeepTheirTrust: it is read as it was written, in every noun, with the statistics and in what a search finds.
func rowsKeepTheirTrust(w *world) {
	ctx, read := w.Context(), w.ReadData(domain.DefaultWorkspace)
	outside := trust.Record{Level: trust.Outside, Detail: trust.Detail{
		From: []domain.Provenance{*domain.From(domain.OriginMCP, "WEB.GET (\"Web\")")}, Fields: []string{"data/text", "name"},
	}}
	z, t, e := zone("zon_1", "Health"), tool("tol_1", "zon_1", "Weight"), entry("ent_1", "tol_1", T0, `{"text":"yolks"}`)
	kind := &userdata.ToolType{ID: "mood", ToolTypeFields: userdata.ToolTypeFields{Name: "Mood", ConfigSchema: json.RawMessage(`{}`), EntrySchema: json.RawMessage(`{}`)},
		CreatedAt: T0, UpdatedAt: T0}
	doc := &userdata.Document{ID: "doc_1", Key: "k", DocumentFields: userdata.DocumentFields{Title: "k", Body: "sugar"}, CreatedAt: T0, UpdatedAt: T0}
	z.Trust, t.Trust, e.Trust, kind.Trust, doc.Trust = outside, outside, outside, outside, outside
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.InsertZone(ctx, z), d.InsertTool(ctx, t), d.InsertToolType(ctx, kind),
			d.InsertEntries(ctx, []userdata.Entry{e, entry("ent_2", "tol_1", T0, `{"value":1}`)}), d.PutDocument(ctx, doc))
	})
	all := func() (records []trust.Record) {
		zones, err := read.Zones(ctx)
		w.ok(err)
		tools, err := read.Tools(ctx, "")
		w.ok(err)
		kinds, err := read.ToolTypes(ctx)
		w.ok(err)
		first, err := read.Entry(ctx, "ent_1")
		w.ok(err)
		found, err := read.Document(ctx, "k")
		w.ok(err)
		return []trust.Record{zones[0].Trust, tools[0].Trust, kinds[0].Trust, first.Trust, found.Trust}
	}
	w.equal(all(), []trust.Record{outside, outside, outside, outside, outside}, "records as they were written")
	other, err := read.Entry(ctx, "ent_2")
	w.ok(err)
	w.equal(other.Trust, trust.Record{}, "the record of a row without one")
	stats, err := read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1"})
	w.ok(err)
	w.equal(stats.Trust, outside, "the least trust of the entries")
	hits, _, err := read.Search(ctx, userdata.SearchQuery{Text: "yolks"})
	w.ok(err)
	w.equal([]any{hits[0].Trust, hits[0].Names}, []any{outside, []trust.Record{outside, outside}}, "records of what was found")

	confirmed := trust.Confirm("key_1", T0)
	first, err := read.Entry(ctx, "ent_1")
	w.ok(err)
	first.Trust, z.Trust, t.Trust, kind.Trust, doc.Trust = confirmed, confirmed, confirmed, confirmed, confirmed
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.UpdateZone(ctx, z), d.UpdateTool(ctx, t), d.UpdateToolType(ctx, kind), d.UpdateEntries(ctx, first), d.PutDocument(ctx, doc))
	})
	w.equal(all(), []trust.Record{confirmed, confirmed, confirmed, confirmed, confirmed}, "records that were confirmed")
	stats, err = read.Stats(ctx, userdata.StatsFilter{ToolID: "tol_1"})
	w.ok(err)
	w.equal(stats.Trust, trust.Record{}, "the least trust after that")
}
