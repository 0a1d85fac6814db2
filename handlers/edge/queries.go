package edge

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/spelling"
)

// maxParameters limits the number of query parameters.
const maxParameters = 100

// Checked refuses what no call, or not this one, takes: query parameters that the
// contract does not name, or that are repeated, and encoded bodies. It panics on a route
// that the contract does not have.
func (s *Edge) Checked(method, pattern string, next http.HandlerFunc) http.HandlerFunc {
	known, ok := api.Queries[method+" "+pattern]
	if !ok {
		panic("a route is not in the contract: " + method + " " + pattern)
	}
	names := slices.Sorted(maps.Keys(known))
	return func(w http.ResponseWriter, req *http.Request) {
		err := CheckEncoding(w, req)
		if err == nil && req.URL.RawQuery != "" && !othersMakeQuery[pattern] {
			err = checkQuery(req.URL.RawQuery, known, names)
		}
		if err != nil {
			s.Fail(w, req, err)
			return
		}
		next(w, req)
	}
}

// othersMakeQuery: another server makes the address, and adds to it what it likes.
var othersMakeQuery = map[string]bool{"/v1/connectors/sign-in/callback": true}

// checkQuery holds a query to what a call takes. A filter with a typing mistake would
// show everything, and a repeated cursor would return the same page forever.
func checkQuery(query string, known map[string]bool, names []string) error {
	if strings.Count(query, "&") > maxParameters {
		return domain.Errorf(CodeUnreadable, "The address has more than %d query parameters.", maxParameters)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		shown := shorten.Characters(err.Error(), jsonbody.MaxShownName)
		return domain.Errorf(CodeUnreadable, "The query of the address cannot be read: %s.", shown)
	}
	var mistakes jsonbody.Mistakes
	for _, name := range slices.Sorted(maps.Keys(values)) {
		shown := strings.ToValidUTF8(shorten.Characters(name, jsonbody.MaxShownName), "\uFFFD")
		many, ok := known[name]
		switch {
		case !ok:
			mistakes.AddAt("/"+jsonbody.Part(shown), "unknown_parameter", unknownParameter(name, shown, names))
		case len(values[name]) > 1 && !many:
			mistakes.AddAt("/"+jsonbody.Part(shown), "repeated_parameter", fmt.Sprintf("The parameter %q is given more than once.", shown))
		}
	}
	return Invalid(&mistakes)
}

func unknownParameter(name, shown string, names []string) string {
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Sprintf("There is no parameter %q. Did you mean %q?", shown, near)
	}
	if len(names) == 0 {
		return fmt.Sprintf("There is no parameter %q: this call takes none.", shown)
	}
	return fmt.Sprintf("There is no parameter %q. There are: %s.", shown, strings.Join(names, ", "))
}

// CheckEncoding refuses a body that is compressed.
func CheckEncoding(w http.ResponseWriter, r *http.Request) error {
	for _, encoding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(encoding), "identity") {
			w.Header().Set("Accept-Encoding", "identity")
			return domain.Errorf(CodeUnsupportedType, "Send the body as it is, without Content-Encoding.")
		}
	}
	return nil
}
