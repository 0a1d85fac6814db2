package connectors

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

func listedAs(name, description string, effect domain.CommandEffect) outside.ConnectorCommand {
	return outside.ConnectorCommand{Name: name, Remote: strings.ToLower(name), Description: description, Effect: effect, Params: json.RawMessage(`{"type":"object"}`)}
}

func joined(t *testing.T, before []outside.ConnectorCommand, listed ...outside.ConnectorCommand) []outside.ConnectorCommand {
	t.Helper()
	now, notes := relist(before, listed, true)
	if len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	return now
}

func names(all []outside.ConnectorCommand) string {
	var out []string
	for _, c := range all {
		out = append(out, fmt.Sprintf("%s:%s", c.Name, c.State))
	}
	return strings.Join(out, " ")
}

// What a person decided of a command stays, however often and for however long its server leaves
// it out, and whatever the server says of it then.
func TestWhatWasDecidedStays(t *testing.T) {
	wipe, keep := listedAs("WIPE", "wipes", domain.EffectRead), listedAs("KEEP", "keeps", domain.EffectRead)
	decided := joined(t, nil, wipe, keep)
	if got := names(decided); got != "WIPE:offered KEEP:offered" {
		t.Fatal(got)
	}
	decided[0].Effect, decided[0].RequireValidation, decided[0].Sensitive = domain.EffectNonIdempotent, true, true
	decided[0].Trusted, decided[0].Timeout = true, time.Minute
	decided[1].State = outside.CommandOff
	want := append([]outside.ConnectorCommand{}, decided...)
	other := listedAs("OTHER", "o", domain.EffectRead)
	for name, between := range map[string][][]outside.ConnectorCommand{
		"left out once":             {nil},
		"left out twice":            {nil, nil},
		"one after the other":       {{wipe}, {keep}, nil},
		"others in between":         {{other}, nil},
		"only its remote differs":   {{{Name: "OTHER", Remote: "wipe", Params: wipe.Params}}},
		"a name that is none":       {{{Name: "w i p e", Remote: "wipe"}}},
		"twice the same":            {{wipe, wipe}},
		"left out for a long while": {nil, {keep}, nil, {wipe}, nil},
	} {
		now := decided
		for _, listed := range between {
			now, _ = relist(now, listed, true)
		}
		now, _ = relist(now, []outside.ConnectorCommand{wipe, keep}, true)
		if !reflect.DeepEqual(now[:2], want) {
			t.Errorf("%s: %+v, want %+v", name, now[:2], want)
		}
	}
	// One that comes back as another is changed; one that was off stays off.
	gone, _ := relist(decided, nil, true)
	if got := names(gone); got != "WIPE:gone KEEP:gone" {
		t.Error(got)
	}
	evil, evilKeep := wipe, keep
	evil.Description, evilKeep.Description = "wipes all", "keeps nothing"
	now := joined(t, gone, evil, evilKeep)
	if got := names(now); got != "WIPE:changed KEEP:off" || !now[0].Sensitive || now[0].LookedAt == nil || now[0].LookedAt.Description != "wipes" {
		t.Errorf("%s: %+v", got, now[0])
	}
	// Also where it was changed when it went.
	again, _ := relist(now, nil, true)
	if now = joined(t, again, evil, evilKeep); names(now) != "WIPE:changed KEEP:off" || now[0].LookedAt == nil {
		t.Errorf("%s: %+v", names(now), now[0])
	}
	// Another tool that would have the same name is not what was looked at.
	swapped := wipe
	swapped.Remote, swapped.DefinitionHash = "wipe-all", decided[0].DefinitionHash
	if now = joined(t, decided, swapped, keep); names(now) != "WIPE:changed KEEP:off" {
		t.Error(names(now))
	}
}

// The order in which a server lists changes nothing; what is new comes behind.
func TestTheOrderStays(t *testing.T) {
	var all []outside.ConnectorCommand
	for _, name := range []string{"ZETA", "ALPHA", "MID", "BETA"} {
		all = append(all, listedAs(name, "d", domain.EffectRead))
	}
	first := joined(t, nil, all...)
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
		var listed []outside.ConnectorCommand
		for _, at := range order {
			listed = append(listed, all[at])
		}
		if now := joined(t, first, listed...); !sameCommands(first, now) {
			t.Errorf("%v: %s", order, names(now))
		}
	}
	fresh := listedAs("AAA", "new", domain.EffectRead)
	now := joined(t, first, fresh, all[3], all[1], all[0])
	if got := names(now); got != "ZETA:offered ALPHA:offered MID:gone BETA:offered AAA:offered" {
		t.Error(got)
	}
	if now = joined(t, now, all[2], fresh, all[3], all[1], all[0]); names(now) != "ZETA:offered ALPHA:offered MID:offered BETA:offered AAA:offered" {
		t.Error(names(now))
	}
}

// A server that lists ever other commands pushes nothing out that a person decided, nor brings in
// what it has once withdrawn.
func TestGoneIsBounded(t *testing.T) {
	decided := joined(t, nil, listedAs("WIPE", "wipes", domain.EffectRead))
	decided[0].State, decided[0].Decided = outside.CommandOff, true
	now := decided
	for round := range 12 {
		var listed []outside.ConnectorCommand
		for i := range maxCommands {
			listed = append(listed, listedAs(fmt.Sprintf("N%d_%d", round, i), strings.Repeat("x", 2000), domain.EffectRead))
		}
		now, _ = relist(now, listed, true)
		if err := trimToLimit(now); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if len(now) > maxGone+maxCommands || now[0].Name != "WIPE" || now[0].State != outside.CommandGone || now[0].Before != outside.CommandOff {
		t.Errorf("%d commands, the first %+v", len(now), now[0])
	}
	now, _ = relist(now, []outside.ConnectorCommand{listedAs("WIPE", "wipes", domain.EffectRead), listedAs("N0_0", "x", domain.EffectRead)}, true)
	byName := map[string]outside.CommandState{}
	for _, c := range now {
		byName[c.Name] = c.State
	}
	if byName["WIPE"] != outside.CommandOff || byName["N0_0"] != outside.CommandOff {
		t.Errorf("back are WIPE %s, N0_0 %s", byName["WIPE"], byName["N0_0"])
	}
}

// A list that is longer than can be kept is kept as far as it goes, and the connector says so.
func TestALongList(t *testing.T) {
	for name, c := range map[string]struct {
		count, size int
		there       int
		says        string
	}{
		"many":           {maxCommands + 7, 10, maxCommands, "7 commands of the list were left out: a connector can have at most 200."},
		"long":           {150, 8 << 10, 85, "commands of the list were left out: the commands of a connector can have at most"},
		"one is too big": {1, maxCommandBytes, 0, "1 command of the list was left out"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for i := range c.count {
				w.external.listed = append(w.external.listed, listedAs(fmt.Sprintf("C%d", i), strings.Repeat("x", c.size), domain.EffectRead))
			}
			made, err := w.CreateConnector(context.Background(), "w", outside.NewConnector{
				Name: "S", Kind: outside.ConnectorMCP, Prefix: "S", Config: json.RawMessage(`{"URL":"https://s.example"}`),
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(made.Commands) < c.there || c.there == 0 && len(made.Commands) > 0 || !strings.Contains(made.StatusDetail, c.says) {
				t.Errorf("%d commands, %q", len(made.Commands), made.StatusDetail)
			}
		})
	}
}

// What is said of a command that is gone counts once it is listed again.
func TestDecidingOfWhatIsGone(t *testing.T) {
	w := newWorld(t, offered("ACT"))
	now, notes := relist(w.rows.all[0].Commands, nil, false)
	if w.rows.all[0].Commands = now; len(notes) > 0 {
		t.Fatal(notes)
	}
	off, sensitive := outside.CommandOff, true
	c, err := w.UpdateConnectorCommand(t.Context(), "w", "con_1", "ACT", 0, outside.ConnectorCommandPatch{State: &off, Sensitive: &sensitive})
	if err != nil || c.Command("ACT").State != outside.CommandGone {
		t.Fatalf("%+v %v", c.Commands, err)
	}
	back := offered("ACT")
	back.DefinitionHash = c.Commands[0].DefinitionHash
	if now, _ = relist(c.Commands, []outside.ConnectorCommand{back}, true); now[0].State != outside.CommandOff || !now[0].Sensitive {
		t.Errorf("%+v", now[0])
	}
}
