package mergepatch

import (
	"encoding/json"
	"reflect"
	"testing"
)

type patchedFields struct {
	Name   string          `json:"name"`
	Count  int64           `json:"count"`
	Bound  *int64          `json:"bound"`
	Tags   []string        `json:"tags"`
	Within *patchedWithin  `json:"within"`
	Config json.RawMessage `json:"config"`
	Schema json.RawMessage `json:"schema" patch:"replace"`
}

type patchedWithin struct {
	City string `json:"city"`
	Zip  string `json:"zip"`
}

// TestPatchesOfFields: what a patch names is replaced, emptied by null or merged, and all else stays. What the fields
// shared with others before is as it was.
func TestPatchesOfFields(t *testing.T) {
	for patch, want := range map[string]string{
		``:                                      `{"name":"a","count":1,"bound":2,"tags":["x"],"within":{"city":"Lyon","zip":"69001"},"config":{"a":1.50,"b":"<"},"schema":{"a":null}}`,
		`{"name":"é<","count":12}`:              `{"name":"é<","count":12,"bound":2,"tags":["x"],"within":{"city":"Lyon","zip":"69001"},"config":{"a":1.50,"b":"<"},"schema":{"a":null}}`,
		`{"bound":null,"name":null}`:            `{"name":"","count":1,"bound":null,"tags":["x"],"within":{"city":"Lyon","zip":"69001"},"config":{"a":1.50,"b":"<"},"schema":{"a":null}}`,
		`{"tags":["y","z"]}`:                    `{"name":"a","count":1,"bound":2,"tags":["y","z"],"within":{"city":"Lyon","zip":"69001"},"config":{"a":1.50,"b":"<"},"schema":{"a":null}}`,
		`{"tags":[],"within":null}`:             `{"name":"a","count":1,"bound":2,"tags":[],"within":null,"config":{"a":1.50,"b":"<"},"schema":{"a":null}}`,
		`{"within":{"zip":null}}`:               `{"name":"a","count":1,"bound":2,"tags":["x"],"within":{"city":"Lyon","zip":""},"config":{"a":1.50,"b":"<"},"schema":{"a":null}}`,
		`{"config":{"a":null,"c":2}}`:           `{"name":"a","count":1,"bound":2,"tags":["x"],"within":{"city":"Lyon","zip":"69001"},"config":{"b":"<","c":2},"schema":{"a":null}}`,
		`{"config":{"c":99999999999999999.10}}`: `{"name":"a","count":1,"bound":2,"tags":["x"],"within":{"city":"Lyon","zip":"69001"},"config":{"a":1.50,"b":"<","c":99999999999999999.10},"schema":{"a":null}}`,
		`{"schema":{"b":null}}`:                 `{"name":"a","count":1,"bound":2,"tags":["x"],"within":{"city":"Lyon","zip":"69001"},"config":{"a":1.50,"b":"<"},"schema":{"b":null}}`,
	} {
		var whole, wanted patchedFields
		read(t, `{"name":"a","count":1,"bound":2,"tags":["x"],"within":{"city":"Lyon","zip":"69001"},"config":{"a":1.50,"b":"<"},"schema":{"a":null}}`, &whole)
		read(t, want, &wanted)
		shared := whole
		if err := Patch[patchedFields](patch).Apply(&whole); err != nil {
			t.Fatalf("%s: %v", patch, err)
		}
		if !reflect.DeepEqual(whole, wanted) {
			t.Errorf("%s: %+v\nnot %+v", patch, whole, wanted)
		}
		if shared.Tags[0] != "x" || *shared.Within != (patchedWithin{"Lyon", "69001"}) || string(shared.Config) != `{"a":1.50,"b":"<"}` || *shared.Bound != 2 {
			t.Errorf("%s changed what was shared: %+v", patch, shared)
		}
	}
	var alone patchedFields
	if err := (Patch[patchedFields](`{"within":{"city":"Metz"},"config":{"a":null}}`)).Apply(&alone); err != nil ||
		*alone.Within != (patchedWithin{City: "Metz"}) || string(alone.Config) != "{}" {
		t.Errorf("where nothing was: %+v, %v", alone, err)
	}
}

func TestPatchesThatDoNotFit(t *testing.T) {
	for _, patch := range []string{`{"Name":"a"}`, `{"other":1}`, `{"name":1}`, `{"count":1.5}`, `{"within":{"city":1}}`, `{"name":`, `[]`} {
		if err := Patch[patchedFields](patch).Apply(new(patchedFields)); err == nil {
			t.Errorf("%s was applied", patch)
		}
	}
	if Patch[patchedFields](`{"name":null}`).Empty() || !Patch[patchedFields](` {}`).Empty() || !Patch[patchedFields](nil).Empty() {
		t.Error("what changes something is not known")
	}
	if got := Patch[patchedFields](`{"name":null,"tags":[ 1]}`); string(got.Get("name")) != "null" || string(got.Get("tags")) != "[ 1]" || got.Get("count") != nil {
		t.Error("what a patch has is not known")
	}
}

// TestIDAndPatch: what stands beside the id of a noun is a patch of its fields, and fits them.
func TestIDAndPatch(t *testing.T) {
	id, patch, err := IDAndPatch[patchedFields]([]byte(`{"thing_id":"thi_1","name":"<&>","count":7}`), "thing_id")
	if err != nil || id != "thi_1" || string(patch) != `{"count":7,"name":"<&>"}` {
		t.Errorf("%q, %s, %v", id, patch, err)
	}
	if id, patch, err = IDAndPatch[patchedFields]([]byte(`{}`), "thing_id"); err != nil || id != "" || !patch.Empty() {
		t.Errorf("nothing: %q, %s, %v", id, patch, err)
	}
	for _, text := range []string{`{"thing_id":7}`, `{"thing_id":"thi_1","Name":"a"}`, `{"thing_id":"thi_1","count":"7"}`, `[]`} {
		if _, _, err := IDAndPatch[patchedFields]([]byte(text), "thing_id"); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func read(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
