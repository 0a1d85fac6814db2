package edge

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// maxTags bounds how many versions a header may name.
const maxTags = 20

// entityTag is one of If-Match or If-None-Match; any is "*".
type entityTag struct {
	text string // between the quotes
	weak bool
	any  bool
}

// entityTags reads If-Match or If-None-Match (RFC 9110, 13.1).
func entityTags(r *http.Request, header string) ([]entityTag, error) {
	rest := strings.TrimSpace(strings.Join(r.Header.Values(header), ","))
	if rest == "*" {
		return []entityTag{{any: true}}, nil
	}
	wrong := domain.Invalid("/"+header, "wrong_format", `%s takes what the header ETag said, in its quotes, like "4"; `+
		`several with commas between, %d at most; or *.`, header, maxTags)
	var tags []entityTag
	for rest = strings.TrimLeft(rest, ", \t"); rest != ""; rest = strings.TrimLeft(rest, ", \t") {
		tag, weak := strings.CutPrefix(rest, "W/")
		text, ok := strings.CutPrefix(tag, `"`)
		end := strings.IndexByte(text, '"')
		if !ok || end < 0 || strings.ContainsAny(text[:end], " \t") || len(tags) == maxTags {
			return nil, wrong
		}
		tags = append(tags, entityTag{text: text[:end], weak: weak})
		if rest = strings.TrimLeft(text[end+1:], " \t"); rest != "" && rest[0] != ',' {
			return nil, wrong
		}
	}
	if len(tags) == 0 {
		return nil, wrong
	}
	return tags, nil
}

// version returns the version in a tag of If-Match: 0 for any, -1 for one that no resource has. A weak tag matches nothing there.
func (t entityTag) version() int64 {
	if t.any {
		return 0
	}
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil || n <= 0 || t.weak || strconv.FormatInt(n, 10) != t.text {
		return -1
	}
	return n
}

// IfMatch reads the version that the client saw: 0 when it does not say, and a version
// that there is not when it says something else than one. Conditional has seen to it
// that there is one tag at most.
func IfMatch(r *http.Request) int64 {
	if len(r.Header.Values("If-Match")) == 0 {
		return 0
	}
	tags, err := entityTags(r, "If-Match")
	if err != nil {
		return -1
	}
	return tags[0].version()
}

// Conditional carries out what If-Match and If-None-Match ask for.
func (s *Edge) Conditional(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := "If-Match"
		if Safe(r.Method) {
			header = "If-None-Match"
		}
		if len(r.Header.Values(header)) == 0 {
			next(w, r)
			return
		}
		tags, err := entityTags(r, header)
		switch {
		case err != nil:
			s.Fail(w, r, err)
		case Safe(r.Method):
			next(&ifChanged{ResponseWriter: w, seen: tags}, r)
		case len(tags) > 1:
			s.anyOf(w, r, tags, next)
		default:
			next(w, r)
		}
	}
}

// anyOf tries the versions of a list in turn: one that is not the present one changes
// nothing.
func (s *Edge) anyOf(w http.ResponseWriter, r *http.Request, tags []entityTag, next http.HandlerFunc) {
	body, err := WholeBody(w, r, bodyLimit(r))
	if err != nil {
		s.Fail(w, r, Unreadable(err))
		return
	}
	var last *recorder
	for _, tag := range tags {
		if last != nil && tag.version() < 0 {
			continue
		}
		try := *r
		try.Header, try.Body = r.Header.Clone(), keep(body)
		try.Header.Set("If-Match", `"`+tag.text+`"`)
		if tag.weak {
			try.Header.Set("If-Match", `W/"`+tag.text+`"`)
		}
		last = &recorder{header: w.Header().Clone()}
		if next(last, &try); last.status != http.StatusPreconditionFailed {
			break
		}
	}
	if last.status != 0 || r.Context().Err() == nil {
		last.WriteHeader(http.StatusOK)
		last.send(w)
	}
}

// ifChanged answers 304 in place of what the client has already.
type ifChanged struct {
	http.ResponseWriter
	seen []entityTag
	same bool
}

// Unwrap lets http.ResponseController reach the connection.
func (c *ifChanged) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *ifChanged) WriteHeader(status int) {
	tag := strings.Trim(strings.TrimPrefix(c.Header().Get("ETag"), "W/"), `"`)
	for _, seen := range c.seen {
		c.same = c.same || status == http.StatusOK && tag != "" && (seen.any || seen.text == tag)
	}
	if c.same {
		c.Header().Del("Content-Type")
		c.Header().Del("Content-Length")
		status = http.StatusNotModified
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *ifChanged) Write(b []byte) (int, error) {
	if c.same {
		return len(b), nil
	}
	return c.ResponseWriter.Write(b)
}
