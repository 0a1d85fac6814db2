package edge

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestAddressesAreText: bytes that no database stores are refused, escaped or not.
func TestAddressesAreText(t *testing.T) {
	for query, want := range map[string]domain.Code{
		"":                       "",
		"field=a":                "",
		"field=caf%C3%A9":        "",
		"field=café":             "",
		"field=%00":              domain.CodeInvalid,
		"field=%FF":              domain.CodeInvalid,
		"field=\xff":             domain.CodeInvalid,
		"field=\xc3":             domain.CodeInvalid,
		"field=a&group_by=\xfe":  domain.CodeInvalid,
		"after=\xff":             "", // for the reader of cursors
		"after=%FF&field=%C3%28": domain.CodeInvalid,
	} {
		err := checkAddress(&http.Request{URL: &url.URL{Path: "/v1/tools/tol_1/entries/stats", RawQuery: query}})
		if got := domain.ErrorCode(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%q: %v, want %q", query, err, want)
		}
	}
}
