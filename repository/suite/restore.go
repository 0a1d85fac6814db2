package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository"
)

// undone demands that a deletion was undone.
func undone(back bool, err error) error {
	if err == nil && !back {
		return errors.New("there was nothing to undo")
	}
	return err
}

// home has the zone zon_1 with the tools tol_1 and tol_2, three entries each.
func home(w *world) {
	w.write(func(ctx context.Context, d *repository.Data) error {
		err := errors.Join(d.InsertZone(ctx, zone("zon_1", "Health")), d.InsertTool(ctx, tool("tol_1", "zon_1", "Weight")), d.InsertTool(ctx, tool("tol_2", "zon_1", "Sleep")))
		var entries []userdata.Entry
		for i := range 6 {
			entries = append(entries, entry(fmt.Sprintf("ent_%d", i), fmt.Sprintf("tol_%d", 1+i/3), T0, `{"value":1}`))
		}
		return errors.Join(err, d.InsertEntries(ctx, entries))
	})
}

// there lists what is left of home.
func there(w *world) []string {
	ctx, read := w.Context(), w.ReadData(domain.DefaultWorkspace)
	zones, err := read.Zones(ctx)
	w.ok(err)
	all := idsOf(zones, func(z userdata.Zone) string { return z.ID })
	tools, err := read.Tools(ctx, "")
	w.ok(err)
	all = append(all, idsOf(tools, func(t userdata.Tool) string { return t.ID })...)
	for _, t := range []string{"tol_1", "tol_2"} {
		entries, _, err := read.Entries(ctx, userdata.EntryFilter{ToolID: t})
		w.ok(err)
		all = append(all, idsOf(entries, func(e userdata.Entry) string { return e.ID })...)
	}
	return all
}

// undoing: what comes back is what went with it, even when all was deleted at the same
// instant; and nothing comes back into what is deleted itself, or after its time.
func undoing(w *world) {
	home(w)
	at := T0.Add(time.Hour)
	// One instant for all, as when one answer of the AI has several actions.
	w.write(func(ctx context.Context, d *repository.Data) error {
		return errors.Join(d.DeleteEntries(ctx, []string{"ent_0"}, at), d.DeleteTool(ctx, "tol_2", at), d.DeleteZone(ctx, "zon_1", at))
	})
	w.equal(there(w), []string{}, "what is left")
	for _, restore := range []func(ctx context.Context, d *repository.Data) (bool, error){
		func(ctx context.Context, d *repository.Data) (bool, error) { return d.RestoreTool(ctx, "tol_1", at) },
		func(ctx context.Context, d *repository.Data) (bool, error) { return d.RestoreTool(ctx, "tol_2", at) },
		func(ctx context.Context, d *repository.Data) (bool, error) { return d.RestoreEntry(ctx, "ent_0", at) },
	} {
		w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error { return undone(restore(ctx, d)) }), domain.CodeParentDeleted)
	}
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error {
		return undone(d.RestoreZone(ctx, "zon_1", at.Add(time.Microsecond)))
	}), domain.CodeRestoreExpired)
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error { return undone(d.RestoreZone(ctx, "zon_x", at)) }), domain.CodeNotFound)
	w.write(func(ctx context.Context, d *repository.Data) error { return undone(d.RestoreZone(ctx, "zon_1", at)) })
	w.equal(there(w), []string{"zon_1", "tol_1", "ent_1", "ent_2"}, "what came back with the zone")
	w.sound()
	w.write(func(ctx context.Context, d *repository.Data) error {
		again, err := d.RestoreZone(ctx, "zon_1", at)
		w.equal(again, false, "an undo of what is there")
		return errors.Join(err, undone(d.RestoreEntry(ctx, "ent_0", at)), undone(d.RestoreTool(ctx, "tol_2", at)))
	})
	w.equal(there(w), []string{"zon_1", "tol_2", "tol_1", "ent_0", "ent_1", "ent_2", "ent_3", "ent_4", "ent_5"}, "all of it")
	w.sound()
}

// forGood: what was deleted before an instant leaves, and only that.
func forGood(w *world) {
	home(w)
	late := T0.Add(40 * 24 * time.Hour)
	w.write(func(ctx context.Context, d *repository.Data) error {
		for _, err := range []error{
			d.PutDocument(ctx, &userdata.Document{ID: "doc_1", Key: "about", CreatedAt: T0, UpdatedAt: T0}),
			d.KeepDocumentVersion(ctx, "doc_1", &userdata.DocumentVersion{Version: 1, PublishedAt: T0}),
			d.DeleteDocument(ctx, "doc_1", T0), d.DeleteEntries(ctx, []string{"ent_0"}, T0), d.DeleteTool(ctx, "tol_2", T0), d.DeleteZone(ctx, "zon_1", late),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.ok(w.PruneDeleted(w.Context(), T0.Add(time.Second)))
	w.ok(w.PruneDeleted(w.Context(), T0.Add(time.Second)))
	for _, gone := range []func(ctx context.Context, d *repository.Data) (bool, error){
		func(ctx context.Context, d *repository.Data) (bool, error) { return d.RestoreEntry(ctx, "ent_0", T0) },
		func(ctx context.Context, d *repository.Data) (bool, error) { return d.RestoreTool(ctx, "tol_2", T0) },
		func(ctx context.Context, d *repository.Data) (bool, error) {
			return d.RestoreDocument(ctx, "doc_1", T0)
		},
	} {
		w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error { return undone(gone(ctx, d)) }), domain.CodeNotFound)
	}
	w.write(func(ctx context.Context, d *repository.Data) error { return undone(d.RestoreZone(ctx, "zon_1", late)) })
	w.equal(there(w), []string{"zon_1", "tol_1", "ent_1", "ent_2"}, "what was deleted later is still to be had")
	w.write(func(ctx context.Context, d *repository.Data) error { return d.DeleteZone(ctx, "zon_1", late) })
	w.ok(w.PruneDeleted(w.Context(), late.Add(time.Second)))
	w.code(w.tryWrite(func(ctx context.Context, d *repository.Data) error { return undone(d.RestoreZone(ctx, "zon_1", T0)) }), domain.CodeNotFound)
	w.sound()
}
