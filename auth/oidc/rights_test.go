package oidc

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestValuesOfAClaim(t *testing.T) {
	for _, c := range []struct {
		claims, name string
		want         []string
	}{
		{`{"r":"admin"}`, "r", []string{"admin"}},
		{`{"r":["a",5,null,"b"]}`, "r", []string{"a", "b"}},
		{`{"realm_access":{"roles":["a"]}}`, "realm_access.roles", []string{"a"}},
		{`{"https://h.example/roles":["a"]}`, "https://h.example/roles", []string{"a"}},
		{`{"urn:zitadel:iam:org:project:roles":{"boss":{"1":"h.example"},"staff":{"1":"h.example"}}}`, "urn:zitadel:iam:org:project:roles", []string{"boss", "staff"}},
		{`{"r":{"admin":true,"member":false,"viewer":null,"x":"yes","y":1,"z":[]}}`, "r", nil},
		{`{"r":{}}`, "r", nil},
		{`{"r":null}`, "r", nil},
		{`{"r":true}`, "r", nil},
		{`{"R":"admin"}`, "r", nil},
	} {
		if got := valuesOf(json.RawMessage(c.claims), c.name); !slices.Equal(got, c.want) {
			t.Errorf("%s of %s: %q, want %q", c.name, c.claims, got, c.want)
		}
	}
}
