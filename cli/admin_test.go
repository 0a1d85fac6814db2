package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
)

func TestProvidersAreFoundByTheirNames(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("GET /v1/providers", 200, `{"data":[
		{"id":"prv_1","name":"Main","kind":"anthropic","config":{"model":"big"},"is_default":true},
		{"id":"prv_2","name":"Twin","kind":"demo","config":{}},{"id":"prv_3","name":"Twin","kind":"demo","config":{}}],"next_cursor":null}`)
	f.Answers("POST /v1/providers/prv_1/test", 200, `{"ok":false,"latency_ms":7,"error":{"code":"auth","message":"401","meaning":"The key is wrong.","mend":"Enter it again."}}`)
	f.Answers("PATCH /v1/providers/prv_2", 200, `{"id":"prv_2","name":"Twin","kind":"demo","config":{},"is_default":true}`)
	f.Answers("DELETE /v1/providers/prv_2", 204, ``)
	cc, out := clitest.Context(t, strings.NewReader(""))
	if err := (&providersList{f.Flags()}).Run(cc); err != nil {
		t.Fatal(err)
	}
	clitest.Wants(t, out.String(), "prv_1", "anthropic", "yes", "big", "Main", "prv_2", "demo")

	err := (&providersTest{providerNamed{f.Flags(), "main"}}).Run(cc)
	if err == nil || !strings.Contains(err.Error(), "The key is wrong. Enter it again.") {
		t.Errorf("a provider that fails gave %v", err)
	}
	if err := (&providersShow{providerNamed{f.Flags(), "Twin"}}).Run(cc); err == nil || !strings.Contains(err.Error(), "prv_2 and prv_3") {
		t.Errorf("a name of two gave %v", err)
	}
	if err := (&providersShow{providerNamed{f.Flags(), "none"}}).Run(cc); err == nil || !strings.Contains(err.Error(), "list them with: fermata providers") {
		t.Errorf("a name of none gave %v", err)
	}
	for _, run := range []func(*command.Context) error{
		(&providersDefault{providerNamed{f.Flags(), "prv_2"}}).Run, (&providersDelete{providerNamed{f.Flags(), "prv_2"}}).Run,
	} {
		if err := run(cc); err != nil {
			t.Error(err)
		}
	}
	if got := f.Seen("PATCH"); len(got) != 1 || got[0].Body != `{"is_default":true}` {
		t.Errorf("sent %v", got)
	}
	clitest.Wants(t, out.String(), "the default for sessions that name no provider", "deleted prv_2 (Twin)")
}

func TestSettingsAreSetAllOrNone(t *testing.T) {
	f := clitest.NewAPI(t)
	const all = `{"time_zone":"Europe/Paris","language":"fr","limits":{"max_roundtrips":20},"changed":["language"]}`
	f.Answers("GET /v1/settings", 200, all)
	f.Answers("PATCH /v1/settings", 200, all)
	cc, out := clitest.Context(t, strings.NewReader(""))
	if err := (&settingsShow{ClientFlags: f.Flags()}).Run(cc); err != nil {
		t.Fatal(err)
	}
	clitest.Wants(t, out.String(), "SETTING", "language", `"fr"`, "changed", "limits", "time_zone")
	set := settingsSet{f.Flags(), []string{"time_zone=Europe/Paris", "limits={max_roundtrips: 20}", "language=", "chat_preempts=true"}}
	set.Values = set.Values[:3]
	if err := set.Run(cc); err != nil {
		t.Fatal(err)
	}
	if got := f.Seen("PATCH")[0].Body; got != `{"language":null,"limits":{"max_roundtrips":20},"time_zone":"Europe/Paris"}` {
		t.Errorf("sent %s", got)
	}
	for _, wrong := range []string{"language", "=fr", "limits={"} {
		if err := (&settingsSet{f.Flags(), []string{wrong}}).Run(cc); command.ExitCode(err) != command.ExitMisused {
			t.Errorf("%q gave %v", wrong, err)
		}
	}
	if err := (&settingsShow{f.Flags(), []string{"colour"}}).Run(cc); err == nil || !strings.Contains(err.Error(), `no setting "colour"`) {
		t.Errorf("a setting that there is not gave %v", err)
	}
	if len(f.Seen("PATCH")) != 1 {
		t.Error("something was sent of what is wrong")
	}
}

func TestDataInAndOut(t *testing.T) {
	f := clitest.NewAPI(t)
	f.Answers("GET /v1/zones", 200, `{"data":[{"id":"zon_1","name":"Health","description":""}],"next_cursor":null}`)
	f.Answers("GET /v1/tools", 200, `{"data":[{"id":"tol_1","name":"Sleep","tool_type":"tracking","zone_id":"zon_1"}],"next_cursor":null}`)
	f.Mux.HandleFunc("GET /v1/tools/tol_1/entries", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "text/csv" {
			t.Errorf("asked for %s", r.Header.Get("Accept"))
		}
		_, _ = w.Write([]byte("id,timestamp,value\nent_1,2026-03-02T07:30:00Z,8\n"))
	})
	f.Answers("POST /v1/tools/tol_1/entries", 201, `{"id":"ent_2","tool_id":"tol_1","timestamp":"2026-03-02T07:30:00.000Z","data":{"value":7.5}}`)
	f.Answers("POST /v1/tools/tol_1/entries/import", 200, `{"added":1}`)
	cc, out := clitest.Context(t, strings.NewReader("timestamp,value\n2026-03-03,7\n"))
	sleep := toolNamed{f.Flags(), "sleep"}
	for _, run := range []func(*command.Context) error{
		(&dataZones{f.Flags()}).Run, (&dataTools{f.Flags(), "Health"}).Run, (&dataExport{sleep}).Run,
		(&dataAdd{sleep, `{"value":7.5}`}).Run, (&dataImport{sleep, "-", true}).Run,
	} {
		if err := run(cc); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Wants(t, out.String(), "zon_1", "Health", "tol_1", "tracking", "ent_1,2026-03-02T07:30:00Z,8", "ent_2", `{"value":7.5}`, `"added"`)
	sent := f.Seen("POST /v1/tools/tol_1/entries/import?dry_run=true")
	if len(sent) != 1 || sent[0].Body != "timestamp,value\n2026-03-03,7\n" || sent[0].Header.Get("Content-Type") != "text/csv" {
		t.Errorf("sent %v", sent)
	}
	if got := f.Seen("GET /v1/tools?")[0].Line; !strings.Contains(got, "zone_id=zon_1") {
		t.Errorf("asked %s", got)
	}
	if err := (&dataAdd{sleep, `{"value":`}).Run(cc); command.ExitCode(err) != command.ExitMisused {
		t.Errorf("half an object gave %v", err)
	}
	large := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(large, make([]byte, maxImport+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&dataImport{sleep, large, false}).Run(cc); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a file that is too long gave %v", err)
	}
}
