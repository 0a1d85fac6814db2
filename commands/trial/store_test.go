package trial

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// stored has two zones with a tool each, and an entry in the first tool. It has no method that writes: a write that
// reaches it is a panic.
type stored struct{ data.Store }

func (stored) Zones(context.Context) ([]userdata.Zone, error) {
	return []userdata.Zone{{ID: "zon_1", Version: 1}, {ID: "zon_2", Version: 1}}, nil
}

func (stored) Zone(_ context.Context, id string) (*userdata.Zone, error) {
	return &userdata.Zone{ID: id, Version: 1}, nil
}

func (stored) Tools(context.Context, string) ([]userdata.Tool, error) {
	return []userdata.Tool{tool("tol_1", "zon_1"), tool("tol_2", "zon_2")}, nil
}

func (stored) Tool(_ context.Context, id string) (*userdata.Tool, error) {
	of := tool(id, "zon_1")
	of.Version = 1
	return &of, nil
}

func tool(id, zone string) userdata.Tool {
	return userdata.Tool{ID: id, ToolFields: userdata.ToolFields{ZoneID: zone}}
}

func (stored) Entry(_ context.Context, id string) (*userdata.Entry, error) {
	return &userdata.Entry{ID: id, ToolID: "tol_1", Version: 1}, nil
}

func (stored) CountEntries(context.Context, string) (int64, error) { return 1, nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A tool that moved is found in its new zone alone, and what was deleted is gone with all that was in it.
func TestWhatWasWrittenIsReadAgain(t *testing.T) {
	ctx, s := t.Context(), New(stored{})
	inZone := tool("tol_1", "zon_2")
	moved := &inZone
	moved.Version = 1
	must(t, s.UpdateTool(ctx, moved))
	if moved.Version != 2 {
		t.Errorf("the version is %d after an update", moved.Version)
	}
	for zone, want := range map[string]int{"zon_1": 0, "zon_2": 2, "": 2} {
		if tools, err := s.Tools(ctx, zone); err != nil || len(tools) != want {
			t.Errorf("zone %q has %+v, %v", zone, tools, err)
		}
	}
	must(t, s.InsertZone(ctx, &userdata.Zone{ID: "zon_3"}))
	must(t, s.DeleteZone(ctx, "zon_2", time.Time{}))
	zones, err := s.Zones(ctx)
	if err != nil || len(zones) != 2 || zones[0].ID != "zon_1" || zones[1].ID != "zon_3" {
		t.Errorf("the zones are %+v, %v", zones, err)
	}
	for noun, read := range map[string]func() error{
		"zone":  func() error { _, err := s.Zone(ctx, "zon_2"); return err },
		"tool":  func() error { _, err := s.Tool(ctx, "tol_1"); return err },
		"entry": func() error { _, err := s.Entry(ctx, "ent_1"); return err },
	} {
		if err := read(); domain.ErrorCode(err) != domain.CodeNotFound {
			t.Errorf("the %s in a deleted zone is read: %v", noun, err)
		}
	}
}

func TestEntriesAreCounted(t *testing.T) {
	ctx, s := t.Context(), New(stored{})
	must(t, s.InsertEntries(ctx, []userdata.Entry{{ID: "ent_2", ToolID: "tol_1"}, {ID: "ent_3", ToolID: "tol_1"}}))
	if n, err := s.CountEntries(ctx, "tol_1"); err != nil || n != 3 {
		t.Errorf("there are %d, %v", n, err)
	}
	must(t, s.DeleteEntries(ctx, []string{"ent_1", "ent_2"}, time.Time{}))
	if n, err := s.CountEntries(ctx, "tol_1"); err != nil || n != 1 {
		t.Errorf("there are %d after two were deleted, %v", n, err)
	}
	if err := s.DeleteEntries(ctx, []string{"ent_2"}, time.Time{}); domain.ErrorCode(err) != domain.CodeNotFound {
		t.Errorf("an entry was deleted twice: %v", err)
	}
}

// What a caller does with its own row later must not reach what was written.
func TestRowsAreCopied(t *testing.T) {
	ctx, s := t.Context(), New(stored{})
	zone := &userdata.Zone{ID: "zon_3"}
	must(t, s.InsertZone(ctx, zone))
	zone.Version = 9
	if read, err := s.Zone(ctx, "zon_3"); err != nil || read.Version != 0 {
		t.Errorf("it is %+v, %v", read, err)
	}
}
