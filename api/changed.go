package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// changed names, as JSON pointers, the values in which one object differs from another
// on the wire. Lists are one value.
func changed(now, before *Settings) []string {
	out := []string{}
	differ("", wire(now), wire(before), &out)
	slices.Sort(out)
	return out
}

func differ(at string, now, before any, out *[]string) {
	a, objects := now.(map[string]any)
	b, both := before.(map[string]any)
	if !objects || !both {
		if !reflect.DeepEqual(now, before) {
			*out = append(*out, at)
		}
		return
	}
	for name, value := range a {
		differ(at+"/"+escape.Replace(name), value, b[name], out)
	}
	for name := range b {
		if _, has := a[name]; !has {
			*out = append(*out, at+"/"+escape.Replace(name))
		}
	}
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// wire is what clients see of the settings. They are plain values: JSON has them all.
func wire(s *Settings) any {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // only what no setting can be, like a number that is none, has no JSON
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err) // it was written just now
	}
	return out
}
