package domain

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// TestSessionStateIsStoredAsItWas holds the stored form of a session's state to a file: fields, their names and their
// order. Every field is filled, so that a new one is seen here. The form is read by every later release.
func TestSessionStateIsStoredAsItWas(t *testing.T) {
	var state SessionState
	fill(reflect.ValueOf(&state).Elem(), "state", 0)
	got, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/session_state.json"
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(append(got, '\n'), want) {
		t.Errorf("the stored form has changed; it is now\n%s", got)
	}
	var back SessionState
	if err := json.Unmarshal(want, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.MarshalIndent(back, "", "  "); err != nil || !bytes.Equal(append(again, '\n'), want) {
		t.Errorf("what was stored is written again as\n%s, %v", again, err)
	}
}

// fill gives every field a value that follows from its name.
func fill(v reflect.Value, name string, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(len(name)))
	case reflect.Float64:
		v.SetFloat(float64(len(name)) + 0.5)
	case reflect.Pointer:
		if depth < 5 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), name, depth+1)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`"` + name + `"`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name, depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, name, depth+1)
		fill(value, name, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 5, 4, 12, 0, len(name), 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Anonymous:
				fill(v.Field(i), f.Name, depth)
			case f.IsExported():
				fill(v.Field(i), f.Name, depth+1)
			}
		}
	}
}
