package httpcommand

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// methods are the supported HTTP methods.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// Check rejects a command that cannot be sent.
func Check(raw json.RawMessage, command *outside.ConnectorCommand) error {
	if command.Request == nil {
		return domain.Invalid("/request", "required", "A request with method and path is required.")
	}
	if err := CheckRequest(raw, command); err != nil {
		return err
	}
	for _, of := range []struct {
		given bool
		field string
	}{{command.Deadline != 0, "deadline"}, {command.CancelPath != "", "cancel_path"}, {len(command.Documents) > 0, "documents"}} {
		if of.given {
			return domain.Invalid("/"+of.field, "not_allowed", "Only commands of a long_running connector can have %s.", of.field)
		}
	}
	if command.Result != "" && !strings.HasPrefix(command.Result, "/") {
		return domain.Invalid("/result", "format", `A JSON pointer must begin with a slash: "/items/0".`)
	}
	if command.Probe == nil {
		return nil
	}
	return checkProbe(command.Probe, paramsOf(command.Params))
}

func checkProbe(p *outside.CommandProbe, known map[string]bool) error {
	if known != nil {
		known = maps.Clone(known)
		known[executionParam] = true
	}
	path, query, _ := strings.Cut(p.Path, "?")
	if err := checkPath("/probe/path", path, known); err != nil {
		return err
	}
	if _, err := url.ParseQuery(placeholder.ReplaceAllString(query, "x")); err != nil {
		return domain.Invalid("/probe/path", "format", "The query is invalid.")
	}
	if err := checkNames("/probe/path", query, known); err != nil {
		return err
	}
	expect, err := jsonbody.Value(p.Expect)
	if err != nil {
		return domain.Invalid("/probe/expect", "json", "The expectation must be a JSON value.")
	}
	for _, name := range namedIn(expect) {
		if known != nil && !known[name] {
			return unknownParam("/probe/expect", name)
		}
	}
	return nil
}

// CheckRequest rejects a request with invalid templates.
func CheckRequest(raw json.RawMessage, command *outside.ConnectorCommand) error {
	r, known := command.Request, paramsOf(command.Params)
	if !slices.Contains(methods, r.Method) {
		return domain.Invalid("/request/method", "not_allowed", "The method must be one of %s.", strings.Join(methods, ", "))
	}
	if err := checkPath("/request/path", r.Path, known); err != nil {
		return err
	}
	for name, template := range r.Query {
		if err := checkNames("/request/query", template, known); err != nil {
			return err
		}
		if name == "" || len(name) > maxTemplate || len(template) > maxTemplate {
			return domain.Invalid("/request/query", "length",
				"A name must not be empty, and name and template can have at most %d characters.", maxTemplate)
		}
	}
	if err := checkHeaders(raw, r.Headers, known); err != nil {
		return err
	}
	return checkBody(r, known)
}

// maxTemplate bounds one template, in bytes.
const maxTemplate = 1000

func checkHeaders(raw json.RawMessage, headers map[string]string, known map[string]bool) error {
	own, _, err := readConfig(raw)
	if err != nil {
		return err
	}
	for name, template := range headers {
		at := "/request/headers/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(shorten.Characters(name, 60))
		if err := CheckHeaderName(name); err != nil {
			return domain.Invalid(at, "header", "%s.", err.Error())
		}
		for other := range own.Headers {
			if strings.EqualFold(other, name) {
				return domain.Invalid(at, "header", "The header %s is set by the connector: a command cannot override it.", other)
			}
		}
		if err := checkNames(at, template, known); err != nil {
			return err
		}
		if _, _, err := (&params{used: map[string]bool{}}).header(name, template); err != nil || len(template) > maxTemplate {
			return domain.Invalid(at, "header", "A header value must be a single line of at most %d characters.", maxTemplate)
		}
	}
	return nil
}

func checkBody(r *outside.CommandRequest, known map[string]bool) error {
	if len(r.Body) == 0 {
		return nil
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return domain.Invalid("/request/body", "not_allowed", "A %s request cannot have a body.", r.Method)
	}
	template, err := jsonbody.Value(r.Body)
	if err != nil {
		return domain.Invalid("/request/body", "json", "The body template must be a JSON value.")
	}
	for _, name := range namedIn(template) {
		if known != nil && !known[name] {
			return unknownParam("/request/body", name)
		}
	}
	return nil
}

func checkPath(at, path string, known map[string]bool) error {
	blank := func(r rune) bool { return r <= ' ' || r == 0x7f }
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#\\") || strings.ContainsFunc(path, blank) {
		return domain.Invalid(at, "format",
			"A path must begin with a slash and not contain ?, #, \\ or spaces, for example /v1/items/{id}. Use query for query parameters.")
	}
	if _, err := url.Parse(placeholder.ReplaceAllString(path, "x")); err != nil {
		return domain.Invalid(at, "format", "The path is invalid.")
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return domain.Invalid(at, "format", "A path must not contain the segments . and ..")
		}
	}
	return checkNames(at, path, known)
}

func checkNames(at, template string, known map[string]bool) error {
	for _, name := range named(template) {
		if known != nil && !known[name] {
			return unknownParam(at, name)
		}
	}
	return nil
}

func unknownParam(at, name string) error {
	name = shorten.Characters(name, 60)
	return domain.Invalid(at, "unknown_param", "{%s} is not a parameter: params_schema has no property %q.", name, name)
}

// paramsOf returns the parameters of a schema, or nil if it allows additional ones.
func paramsOf(schema json.RawMessage) map[string]bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Ref        string                     `json:"$ref"`
		AllOf      []any                      `json:"allOf"`
		AnyOf      []any                      `json:"anyOf"`
		OneOf      []any                      `json:"oneOf"`
	}
	if exactjson.Unmarshal(schema, &s) != nil || s.Ref != "" || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil {
		return nil
	}
	known := map[string]bool{}
	for name := range s.Properties {
		known[name] = true
	}
	return known
}

// isJSON reports whether a media type is JSON.
func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json") || media == "text/json"
}

// statusText renders a status for people.
func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("%d %s", status, text)
	}
	return fmt.Sprint(status)
}
