package edge_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// bombs are bodies that cost far more than their size in a decoder that stores the location of each value or
// reports each error.
func bombs(size int) map[string]string {
	half := size / 2
	list := func(item string, n int) string { return "[" + strings.Repeat(item+",", n) + item + "]" }
	names := make([]string, 0, half/16)
	for i := range size / 24 {
		names = append(names, `"k`+strconv.Itoa(i)+`":"\u0000"`)
	}
	return map[string]string{
		"long name, mistakes": `{"` + strings.Repeat("k", half) + `":` + list(`"\u0000"`, half/9) + `}`,
		"long name, values":   `{"` + strings.Repeat("k", half) + `":` + list("0", min(half/2, jsonbody.MaxValues-3)) + `}`,
		"many values":         list("0", half),
		"many mistakes":       list(`"\u0000"`, size/9),
		"unknown names":       `{` + strings.Join(names, ",") + `}`,
		"nested long names":   strings.Repeat(`{"`+strings.Repeat("<", size/70)+`":`, 60) + `"\ud800"` + strings.Repeat("}", 60),
		"control characters":  strings.Repeat(`{"`+strings.Repeat(`\u0001`, size/6/60)+`":`, 59) + list(`"\u0000"`, 30) + strings.Repeat("}", 59),
		"one name twice":      `{"` + strings.Repeat("k", half-8) + `":1,"` + strings.Repeat("k", half-8) + `":1}`,
	}
}

// TestNoBodyMakesALargeAnswer verifies that the response stays below 64 KiB regardless of the number and kind of
// errors in a body; for webhooks, a key's owner and repeated requests.
func TestNoBodyMakesALargeAnswer(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	const most = 64 << 10
	for name, body := range bombs(jsonbody.MaxEvent - 200) {
		if got := c.Do("POST", "/v1/hooks/aut_1/secret", body); got.Status < 400 || len(got.Text) > most {
			t.Errorf("%s to a webhook: %d, %d bytes", name, got.Status, len(got.Text))
		}
	}
	for name, body := range bombs(jsonbody.MaxBody - 2000) {
		for _, path := range []string{"/v1/heartbeat", "/v1/zones", "/v1/tools/tol_1/entries/batch"} {
			if got := c.Do("POST", path, body); got.Status < 400 || len(got.Text) > most {
				t.Errorf("%s to %s: %d, %d bytes", name, path, got.Status, len(got.Text))
			}
		}
		if got := c.Do("PATCH", "/v1/settings", `{"prompt_chunks":`+body+`}`); got.Status < 400 || len(got.Text) > most {
			t.Errorf("%s to the settings: %d, %d bytes", name, got.Status, len(got.Text))
		}
	}
}

// TestABodyTakesMemoryByItsSize: at most 20 times its bytes, and 8 MiB for the values
// that any body may hold.
func TestABodyTakesMemoryByItsSize(t *testing.T) {
	for name, body := range bombs(jsonbody.MaxBody - 2000) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = edge.Decode([]byte(body), &api.NewEntries{}) // wrong in one way or another; what it costs is asked here
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(20*len(body)+8<<20) {
			t.Errorf("%s: %d bytes for a body of %d", name, used, len(body))
		}
	}
}

// FuzzDecode looks for a body whose answer is more than 20 times its size and a
// constant, or more than 64 KiB.
func FuzzDecode(f *testing.F) {
	for _, body := range bombs(2000) {
		f.Add([]byte(body))
	}
	f.Add([]byte(`{"segments":[{"type":"text","text":7,"x":null}],"if_busy":"now"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, dst := range []any{&api.MessageInput{}, &api.NewEntries{}, &api.SettingsPatch{}, &api.NewAutomation{}} {
			err := edge.Decode(body, dst)
			if err == nil {
				continue
			}
			if size := len(edge.EncodeProblem(edge.ProblemOf(err))); size > min(20*len(body)+8<<10, edge.MaxProblem) {
				t.Errorf("%d bytes of answer for %d: %v", size, len(body), err)
			}
		}
	})
}
