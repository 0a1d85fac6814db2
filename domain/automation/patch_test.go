package automation

import (
	"errors"
	"reflect"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// daily is an automation in which every field that a patch can change has a value.
func daily() *Automation {
	a := Plain("Report", "ada")
	tokens := int64(1000)
	return &Automation{
		ID: "aut_1", Name: a.Name, ProviderID: "prv_1", Enabled: a.Enabled,
		Schedule: &Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "Europe/Paris", StartsAt: "2026-03-02T00:00:00"},
		Misfire:  a.Misfire, Overlap: a.Overlap, Validation: "park", RequireValidation: true, Completion: a.Completion,
		Tags: []string{"a"}, Commands: a.Commands, Triggers: []Trigger{{Type: TriggerWebhook}},
		Budgets: domain.Budgets{MaxTokensPerRound: &tokens},
	}
}

func TestAnEmptyPatchChangesNothing(t *testing.T) {
	a := daily()
	if err := (Patch{}).Apply(a); err != nil || !reflect.DeepEqual(a, daily()) {
		t.Errorf("it is %+v, and the error %v", a, err)
	}
}

func TestAPatchSetsWhatItNames(t *testing.T) {
	a := daily()
	var noBound *int64
	err := Patch{
		Name: new("Other"), ProviderID: new(""), Enabled: new(false), Misfire: new(MisfireAll), Overlap: new(OverlapQueue),
		Validation: new("refuse"), RequireValidation: new(false), Completion: new(CompletionAsk),
		Tags: &[]string{}, Commands: &[]string{"mail"}, Triggers: &[]Trigger{{Type: TriggerEntryCreated, ToolID: "tol_1"}},
		Budgets: domain.BudgetsPatch{MaxTokensPerRound: &noBound},
	}.Apply(a)
	if err != nil {
		t.Fatal(err)
	}
	want := daily()
	want.Name, want.ProviderID, want.Enabled, want.Misfire, want.Overlap = "Other", "", false, MisfireAll, OverlapQueue
	want.Validation, want.RequireValidation, want.Completion = "refuse", false, CompletionAsk
	want.Tags, want.Commands, want.Triggers = []string{}, []string{"mail"}, []Trigger{{Type: TriggerEntryCreated, ToolID: "tol_1"}}
	want.Budgets.MaxTokensPerRound = nil
	if !reflect.DeepEqual(a, want) {
		t.Errorf("it is %+v, want %+v", a, want)
	}
}

// A list of the patch is copied: what the caller does with its own later must not reach what is stored.
func TestAPatchSharesNoList(t *testing.T) {
	a, tags := daily(), []string{"a", "b"}
	if err := (Patch{Tags: &tags}).Apply(a); err != nil {
		t.Fatal(err)
	}
	tags[0] = "changed"
	if a.Tags[0] != "a" {
		t.Errorf("the tags are %v", a.Tags)
	}
}

func TestASchedulePatch(t *testing.T) {
	whole := daily().Schedule
	for name, c := range map[string]struct {
		have  *Schedule
		patch SchedulePatch
		want  *Schedule
		lacks string // the pointer of the error
	}{
		"one field": {
			whole, SchedulePatch{Expression: new("0 9 * * *")},
			&Schedule{Type: "cron", Expression: "0 9 * * *", TimeZone: "Europe/Paris", StartsAt: "2026-03-02T00:00:00"}, "",
		},
		"no start any more": {
			whole, SchedulePatch{StartsAt: new("")}, &Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "Europe/Paris"}, "",
		},
		"none any more": {whole, SchedulePatch{None: true}, nil, ""},
		"none, of none": {nil, SchedulePatch{None: true}, nil, ""},
		"a first one": {
			nil, SchedulePatch{Type: new("interval"), Expression: new("2h"), TimeZone: new("UTC")},
			&Schedule{Type: "interval", Expression: "2h", TimeZone: "UTC"}, "",
		},
		"a part of a first one":  {nil, SchedulePatch{Type: new("cron"), Expression: new("0 9 * * *")}, nil, "/schedule/time_zone"},
		"nothing of a first one": {nil, SchedulePatch{}, nil, "/schedule/type"},
	} {
		a := &Automation{Schedule: c.have}
		err := Patch{Schedule: &c.patch}.Apply(a)
		if problem, is := errors.AsType[*domain.Error](err); is != (c.lacks != "") || is && problem.Fields[0].Pointer != c.lacks {
			t.Errorf("%s: the error is %v, want one at %q", name, err, c.lacks)
		}
		if err == nil && !reflect.DeepEqual(a.Schedule, c.want) {
			t.Errorf("%s: it is %+v, want %+v", name, a.Schedule, c.want)
		}
	}
	if *whole != *daily().Schedule {
		t.Error("a patch changed the schedule that it was applied to in place: other readers share it")
	}
}
