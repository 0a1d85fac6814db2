package httpcommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
)

const (
	// maxDocument bounds an OpenAPI document, in bytes.
	maxDocument = 4 << 20
	// maxProposed bounds the commands proposed for one document, and maxProposedBytes their JSON.
	maxProposed      = 500
	maxProposedBytes = 2 << 20
	// maxProposedWork bounds the JSON generated for all operations, including those that are not
	// proposed.
	maxProposedWork = 4 * maxProposedBytes
	bytesInStep     = 64
	fetchTime       = 15 * time.Second
)

// Previewer proposes connectors for APIs with an OpenAPI document.
type Previewer struct{ Client *http.Client }

// PreviewConnector reads an OpenAPI 3 document, inline or fetched, and proposes a connector with a
// command for each of its operations, for a person to choose from.
func (p Previewer) PreviewConnector(ctx context.Context, document json.RawMessage, from string) (*outside.ConnectorPreview, error) {
	given := len(document) > 0 && string(document) != "null"
	switch {
	case given == (from != ""):
		return nil, domain.Invalid("", "either", "Send either openapi or openapi_url.")
	case given:
		var text string
		if json.Unmarshal(document, &text) == nil {
			document = json.RawMessage(text)
		}
	default:
		fetched, err := p.fetch(ctx, from)
		if err != nil {
			return nil, err
		}
		document = fetched
	}
	preview, err := propose(ctx, document, from)
	if err != nil && !given {
		err = domain.MovePointers(err, func(string) string { return "/openapi_url" })
	}
	return preview, err
}

func (p Previewer) fetch(ctx context.Context, from string) (json.RawMessage, error) {
	wrong := func(format string, args ...any) error {
		return domain.Invalid("/openapi_url", "unreadable", format, args...)
	}
	if _, err := BaseURL(strings.SplitN(from, "?", 2)[0]); err != nil {
		return nil, wrong("The URL must begin with https:// or http:// and have a host.")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, wrong("The URL is invalid.")
	}
	response, err := p.Client.Do(request)
	if err != nil {
		return nil, wrong("The document cannot be fetched: %s.", orBrokeOff(egress.ReasonOf(err)))
	}
	defer func() { _ = response.Body.Close() }() // the rest is not needed
	if response.StatusCode != http.StatusOK {
		return nil, wrong("The document cannot be fetched: the server answered %s.", statusText(response.StatusCode))
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil {
		return nil, wrong("The document cannot be fetched: %s.", orBrokeOff(egress.ReasonOf(err)))
	}
	return text, nil
}

// propose reads a document. Its errors are for people.
func propose(ctx context.Context, document json.RawMessage, from string) (*outside.ConnectorPreview, error) {
	wrong := func(code, format string, args ...any) error { return domain.Invalid("/openapi", code, format, args...) }
	if len(document) > maxDocument {
		return nil, wrong("too_long", "The document is longer than %d bytes.", maxDocument)
	}
	var head struct {
		OpenAPI string `json:"openapi"`
	}
	if err := json.Unmarshal(document, &head); err != nil {
		return nil, wrong("json", "The document is not JSON. Convert YAML first.")
	}
	if depthOf(document) > maxDepth {
		return nil, wrong("too_deep", "The document is nested deeper than %d levels.", maxDepth)
	}
	if !strings.HasPrefix(head.OpenAPI, "3.") {
		return nil, wrong("version", "This is not an OpenAPI 3 document: it has no field openapi that begins with 3.")
	}
	doc, err := load(document)
	if err != nil {
		return nil, wrong("unusable", "%s", shorten.Characters("The document cannot be used: "+err.Error(), jsonbody.MaxMessage))
	}
	preview := &outside.ConnectorPreview{Kind: outside.ConnectorHTTP, Prefix: "API", Name: "API", Config: json.RawMessage(`{}`)}
	if doc.Info != nil && visible.IsName(shorten.Characters(doc.Info.Title, 200)) && strings.TrimSpace(doc.Info.Title) != "" {
		preview.Name, preview.Prefix = shorten.Characters(doc.Info.Title, 200), prefixOf(doc.Info.Title)
	}
	if base := baseOf(doc, from); base != "" {
		preview.Config = jsonbody.Encode(map[string]any{"base_url": base})
	}
	_, err = addCommands(ctx, preview, doc)
	return preview, err
}

// addCommands proposes a command for each operation, up to the limit, and counts the rest. It
// returns the steps taken, and stops when ctx is done.
func addCommands(ctx context.Context, preview *outside.ConnectorPreview, doc *openapi3.T) (steps int, err error) {
	in, names, size, work := newInliner(doc), map[string]int{}, 0, 0
	for _, path := range doc.Paths.InMatchingOrder() {
		item := doc.Paths.Value(path)
		operations := item.Operations() // not nil: checked by load
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			if ctx.Err() != nil {
				return in.steps, context.Cause(ctx)
			}
			if !slices.Contains(methods, method) {
				continue
			}
			if len(preview.Commands) == maxProposed || size > maxProposedBytes || work > maxProposedWork {
				preview.Skipped++
				continue
			}
			command := in.command(method, path, item, operations[method], names)
			work += len(command.Params)
			in.steps += 1 + len(command.Params)/bytesInStep
			if checkProposed(&command) != nil {
				preview.Skipped++
				continue
			}
			text, err := json.Marshal(command)
			if size += len(text); err != nil || size > maxProposedBytes {
				preview.Skipped++
				continue
			}
			preview.Commands = append(preview.Commands, command)
		}
	}
	return in.steps, nil
}

// checkProposed is Check without a config, which does not exist yet.
func checkProposed(command *outside.ConnectorCommand) error {
	return CheckRequest(json.RawMessage(`{"base_url":"https://api.example.com"}`), command)
}

// maxDepth bounds the nesting of a document: each level costs a parser the length of its content.
const maxDepth = 100

// depthOf returns the nesting depth of valid JSON.
func depthOf(text []byte) (deepest int) {
	depth, quoted, escaped := 0, false, false
	for _, b := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			depth++
			deepest = max(deepest, depth)
		case b == '}' || b == ']':
			depth--
		}
	}
	return deepest
}

// load parses a document without resolving references. The library would resolve each of them
// recursively, so that the cost of a document could grow exponentially.
func load(document []byte) (doc *openapi3.T, err error) {
	defer func() {
		if recover() != nil { // the library parses untrusted input
			doc, err = nil, errors.New("it is not a valid OpenAPI document")
		}
	}()
	doc = &openapi3.T{}
	if err = json.Unmarshal(document, doc); err != nil {
		return nil, fmt.Errorf("read it: %w", err)
	}
	if doc.Paths == nil {
		return nil, errors.New("it has no paths")
	}
	if doc.Components == nil {
		doc.Components = &openapi3.Components{}
	}
	return doc, resolve(doc)
}

// prefixOf derives a prefix from the first word of a title.
func prefixOf(title string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(connectors.CommandName(title), "_"), "_")
	first = first[:min(len(first), 20)]
	if len(first) < 2 {
		return "API"
	}
	return first
}

// baseOf returns the URL of the first server, relative to the document's URL.
func baseOf(doc *openapi3.T, from string) string {
	address := "/"
	if len(doc.Servers) > 0 && doc.Servers[0] != nil {
		address = doc.Servers[0].URL
		for name, variable := range doc.Servers[0].Variables {
			if variable != nil {
				address = strings.ReplaceAll(address, "{"+name+"}", variable.Default)
			}
		}
	}
	to, err := url.Parse(address)
	if at, wrong := url.Parse(from); err == nil && wrong == nil && from != "" {
		to = at.ResolveReference(to)
	}
	if err != nil {
		return ""
	}
	base := strings.TrimSuffix(to.String(), "/")
	if _, err := BaseURL(base); err != nil {
		return ""
	}
	return base
}
