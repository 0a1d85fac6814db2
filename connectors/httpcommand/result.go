package httpcommand

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain/outside"
)

// result converts a response to a result. pointer selects a part of it.
func (a *api) result(got answer, pointer string) (outside.Result, error) {
	media, _, _ := mime.ParseMediaType(got.header.Get("Content-Type")) // an invalid one counts as none
	if coding := got.header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return outside.Result{}, unreadable(a.name, got.status, "an unexpected content encoding")
	}
	if err := refusal(a.name, got); err != nil {
		return a.said(media, got, err)
	}
	switch {
	case len(bytes.TrimSpace(got.text)) == 0:
		return outside.Result{Text: "Done: it answered " + statusText(got.status) + ", without a text."}, nil
	case media == "text/html" || media == "application/xhtml+xml":
		return outside.Result{}, unreadable(a.name, got.status, "a web page instead of data")
	case isJSON(media) || media == "" && json.Valid(got.text):
		return a.resultJSON(got, pointer)
	case !isText(media):
		said := statusText(got.status)
		return outside.Result{
			Text: fmt.Sprintf("Done: it answered %s with %d bytes of %s, which cannot be shown.", said, len(got.text), media),
		}, nil
	}
	return a.text(got, nil), nil
}

// said turns an error response with readable content into a failed result: the content is data for
// the AI, like that of any response, and not part of the error message. Without readable content it
// stays an error.
func (a *api) said(media string, got answer, refused error) (outside.Result, error) {
	e, _ := errors.AsType[*outside.Error](refused)
	if e.Fault != outside.FaultRefused || e.Temporary || len(bytes.TrimSpace(got.text)) == 0 || !isJSON(media) && media != "text/plain" {
		return outside.Result{}, refused
	}
	result := a.text(got, nil)
	result.Failed, result.Text = true, e.Message+"\n"+result.Text
	return result, nil
}

func isText(media string) bool {
	if media == "" || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml") {
		return true
	}
	return slices.Contains([]string{
		"application/xml", "application/yaml", "application/x-ndjson", "application/x-www-form-urlencoded",
	}, media)
}

func (a *api) resultJSON(got answer, pointer string) (outside.Result, error) {
	if got.cut {
		return a.text(got, nil), nil
	}
	value, err := decode(got.text)
	if err != nil {
		return outside.Result{}, unreadable(a.name, got.status, "invalid JSON")
	}
	if pointer == "" {
		return a.text(got, got.text), nil
	}
	part, ok := at(value, pointer)
	if !ok {
		whole := a.text(got, nil)
		whole.Text = fmt.Sprintf("The answer has nothing at %q. This is all of it:\n%s", pointer, whole.Text)
		return whole, nil
	}
	text, err := json.Marshal(part)
	if err != nil {
		return outside.Result{}, unreadable(a.name, got.status, "a value that cannot be encoded as JSON")
	}
	if s, ok := part.(string); ok {
		return a.text(answer{text: []byte(s)}, text), nil
	}
	return a.text(answer{text: text}, text), nil
}

// text returns the result as the AI reads it, truncated to the limit, with its JSON if it is
// complete.
func (a *api) text(got answer, whole json.RawMessage) outside.Result {
	limit := int(a.config.MaxResultBytes)
	text, cut := got.text, got.cut
	if len(text) > limit {
		text, cut = text[:limit], true
	}
	r := outside.Result{Cut: cut}
	if !cut {
		r.JSON, r.Text = whole, strings.ToValidUTF8(string(text), "\uFFFD")
		return r
	}
	for i := 0; i < utf8.UTFMax && len(text) > 0 && !utf8.Valid(text[max(0, len(text)-utf8.UTFMax):]); i++ {
		text = text[:len(text)-1]
	}
	r.Text = strings.ToValidUTF8(string(text), "\uFFFD") + fmt.Sprintf("\n[Cut here: the answer is longer than %d bytes.]", limit)
	return r
}

// decode decodes one JSON value and preserves the spelling of numbers.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

// at resolves a JSON pointer.
func at(value any, pointer string) (any, bool) {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := value.(type) {
		case map[string]any:
			inner, ok := v[token]
			if !ok {
				return nil, false
			}
			value = inner
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}
