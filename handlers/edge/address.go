package edge

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// checkAddress refuses what no text is: databases take neither NUL nor bytes that are
// not UTF-8, and nothing stored has them. A cursor is for its own reader to refuse.
func checkAddress(r *http.Request) error {
	if strings.Contains(r.URL.EscapedPath(), "%") && !plainText(r.URL.Path) {
		return domain.Errorf(domain.CodeNotFound, "There is nothing at this address.")
	}
	if !strings.Contains(r.URL.RawQuery, "%") && plainText(r.URL.RawQuery) {
		return nil
	}
	for name, values := range r.URL.Query() {
		for _, value := range values {
			if name != "after" && !plainText(value) {
				return domain.Invalid(
					"/"+strings.ToValidUTF8(name, "\uFFFD"),
					"text",
					"The value is not text: it has a NUL or is not UTF-8.",
				)
			}
		}
	}
	return nil
}

func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
