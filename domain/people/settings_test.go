package people

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func changed(t *testing.T, patches ...string) domain.Settings {
	t.Helper()
	s := domain.DefaultSettings()
	for _, patch := range patches {
		if err := (SettingsPatch{Fields: []byte(patch)}).Apply(&s); err != nil {
			t.Fatalf("%s: %v", patch, err)
		}
	}
	return s
}

// What a patch does not name stays, and null restores a default, of a setting, a group or a part of one.
func TestSettingsAreMerged(t *testing.T) {
	def := domain.DefaultSettings()
	s := changed(t, `{"language":"fr","chats_visible":"private","max_inactivity":"1h","network_retry":{"delays":["3s"]},
		"notifications":{"mail_to":["a@example.com"],"quiet_hours":{"from":"22:00","to":"07:00"}},"fallback_providers":["prv_1"]}`)
	if s.Language != "fr" || s.ChatsVisible != domain.VisiblePrivate || time.Duration(s.MaxInactivity) != time.Hour ||
		s.NetworkRetry.Policy != def.NetworkRetry.Policy || len(s.NetworkRetry.Delays) != 1 || s.Notifications.QuietHours.To != "07:00" ||
		s.TimeZone != def.TimeZone || len(s.FallbackProviders) != 1 {
		t.Errorf("%+v", s)
	}
	for _, back := range []string{
		`{"language":null,"chats_visible":null,"max_inactivity":null,"network_retry":null,"notifications":null,"fallback_providers":null}`,
		`{"language":null,"chats_visible":null,"max_inactivity":null,"network_retry":{"delays":null},
			"notifications":{"mail_to":null,"quiet_hours":null},"fallback_providers":null}`,
	} {
		again := s
		if err := (SettingsPatch{Fields: []byte(back)}).Apply(&again); err != nil || !reflect.DeepEqual(again, def) {
			t.Errorf("%s: %+v, %v", back, again, err)
		}
	}
}

// A limit set to null is none; a group of limits set to null has its defaults. A preset comes before the limits beside it.
func TestLimitsAreMerged(t *testing.T) {
	def := domain.DefaultSettings().Limits
	s := changed(t, `{"limits":{"automation":{"max_autonomous_roundtrips":null,"max_cost_per_day":2.5}}}`)
	if l := s.Limits.Automation; l.MaxAutonomousRoundtrips != nil || *l.MaxCostPerDay != 2.5 || *l.MaxTokensPerRound != *def.Automation.MaxTokensPerRound {
		t.Errorf("%+v", l)
	}
	for _, back := range []string{`{"limits":null}`, `{"limits":{"automation":null}}`} {
		if got := changed(t, `{"limits":{"automation":{"max_autonomous_roundtrips":null,"max_cost_per_day":2.5}}}`, back); !reflect.DeepEqual(got.Limits, def) {
			t.Errorf("%s: %+v", back, got.Limits)
		}
	}
	s = changed(t, `{"limits":{"chat":{"preset":"strict","max_action_retries":7,"max_format_error_retries":null}}}`)
	if l := s.Limits.Chat; *l.MaxAutonomousRoundtrips != 10 || *l.MaxDataQueryIterations != 3 || *l.MaxActionRetries != 7 || l.MaxFormatErrorRetries != nil {
		t.Errorf("%+v", l)
	}
}

func TestPricesAreMerged(t *testing.T) {
	const priced = `{"prices":{"m":{"input":1,"output":2,"cache_read":0.5}}}`
	for patch, want := range map[string]string{
		`{"prices":{"m":{"output":3}}}`:               `{"m":{"input":1,"output":3,"cache_read":0.5}}`,
		`{"prices":{"m":{"cache_read":null}}}`:        `{"m":{"input":1,"output":2}}`,
		`{"prices":{"m":null}}`:                       `{}`,
		`{"prices":null}`:                             `{}`,
		`{"prices":{"n":{"input":4,"output":5}}}`:     `{"m":{"input":1,"output":2,"cache_read":0.5},"n":{"input":4,"output":5}}`,
		`{"prices":{"unknown":null},"language":"fr"}`: `{"m":{"input":1,"output":2,"cache_read":0.5}}`,
	} {
		var got, wanted any
		text, err := json.Marshal(changed(t, priced, patch).Prices)
		if err = errors.Join(err, json.Unmarshal(text, &got), json.Unmarshal([]byte(want), &wanted)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: %s", patch, text)
		}
	}
	s := domain.DefaultSettings()
	for patch, want := range map[string]string{
		`{"prices":{"a/b~c":{"input":1}}}`: "/prices/a~1b~0c/output",
		`{"prices":{"m":{}}}`:              "/prices/m/input",
		tooMany():                          "/prices",
	} {
		var invalid *domain.Error
		if err := (SettingsPatch{Fields: []byte(patch)}).Apply(&s); !errors.As(err, &invalid) || invalid.Fields[0].Pointer != want {
			t.Errorf("%.60s: %v", patch, err)
		}
	}
}

// tooMany is a patch with one price more than a workspace may have.
func tooMany() string {
	models := map[string]any{}
	for i := range maxPrices + 1 {
		models[fmt.Sprint(i)] = map[string]int{"input": 1, "output": 1}
	}
	text, _ := json.Marshal(map[string]any{"prices": models})
	return string(text)
}

func TestChunksAreMerged(t *testing.T) {
	const set = `{"prompt_chunks":{"x":{"enabled":false,"text":"t"},"y":{"text":"u"}}}`
	for patch, want := range map[string]string{
		`{"prompt_chunks":{"x":{"text":null}}}`:                `{"x":{"enabled":false},"y":{"text":"u"}}`,
		`{"prompt_chunks":{"x":{"enabled":null,"text":null}}}`: `{"y":{"text":"u"}}`,
		`{"prompt_chunks":{"x":null}}`:                         `{"y":{"text":"u"}}`,
		`{"prompt_chunks":null}`:                               `{}`,
		`{"prompt_chunks":{"z":{}}}`:                           `{"x":{"enabled":false,"text":"t"},"y":{"text":"u"}}`,
	} {
		if text, err := json.Marshal(changed(t, set, patch).PromptChunks); err != nil || string(text) != want {
			t.Errorf("%s: %s, %v", patch, text, err)
		}
	}
}

// The settings before the change may be read by others.
func TestSettingsBeforeTheChangeStay(t *testing.T) {
	before := changed(t, `{"prices":{"m":{"input":1,"output":2}},"limits":{"chat":{"max_cost_per_day":5}},"prompt_chunks":{"x":{"text":"t"}}}`)
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	after := before
	patch := `{"prices":{"m":{"input":9}},"limits":{"chat":{"max_cost_per_day":6}},"prompt_chunks":{"x":{"text":"u"}},"network_retry":{"delays":["1s"]}}`
	if err := (SettingsPatch{Fields: []byte(patch)}).Apply(&after); err != nil {
		t.Fatal(err)
	}
	if now, err := json.Marshal(before); err != nil || string(now) != string(text) {
		t.Errorf("%s\nwas %s", now, text)
	}
}

func TestSettingsHaveAVersion(t *testing.T) {
	s := domain.DefaultSettings()
	version, err := s.Version()
	if err != nil {
		t.Fatal(err)
	}
	if err := (SettingsPatch{Version: version, Fields: []byte(`{"language":"fr"}`)}).Apply(&s); err != nil {
		t.Error(err)
	}
	if err := (SettingsPatch{Version: version, Fields: []byte(`{"language":"en"}`)}).Apply(&s); domain.ErrorCode(err) != domain.CodePreconditionFailed {
		t.Errorf("a version that is outdated: %v", err)
	}
	if err := (SettingsPatch{Fields: []byte(`{"no_such_setting":1}`)}).Apply(&s); err == nil {
		t.Error("an unknown setting is accepted")
	}
}
