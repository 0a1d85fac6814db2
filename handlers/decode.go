package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

const (
	maxBody  = 1 << 20
	maxDepth = 64
)

// read decodes the body of a request into the struct that dst points to, and checks
// its shape. What cannot be read is a 400, 413 or 415; what can be read but is wrong, a
// 422 that points at every mistake.
func (s *server) read(w http.ResponseWriter, r *http.Request, dst any) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return domain.Errorf(CodeEmptyBody, "This call needs a JSON object as its body.")
	}
	return decode(body, dst)
}

// readNothing is for calls that take no body: an empty object is fine, a field is not.
func (s *server) readNothing(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength == 0 || r.Body == nil {
		return nil
	}
	body, err := readBody(w, r)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	return decode(body, &struct{}{})
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, domain.Errorf(CodeTooLarge, "The body is larger than %d bytes.", maxBody)
	}
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(r.ContentLength))
	}
	if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, err
		}
		return nil, brokenOff(err)
	}
	if body.Len() == 0 {
		return nil, nil
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, domain.Errorf(CodeUnsupportedType, "Send the body as Content-Type: application/json.")
	}
	return body.Bytes(), nil
}

// brokenOff tells a body that did not come whole from other errors.
func brokenOff(err error) error {
	var tooLarge *http.MaxBytesError
	var known *domain.Error
	if errors.As(err, &tooLarge) || errors.As(err, &known) {
		return err
	}
	return &domain.Error{Code: CodeUnreadable, Message: "The body broke off before its end.", Err: err}
}

// decode reads one JSON object into dst.
func decode(body []byte, dst any) error {
	if !utf8.Valid(body) {
		return domain.Errorf(CodeMalformedJSON, "The body is not UTF-8.")
	}
	p := parser{body: body, dec: json.NewDecoder(bytes.NewReader(body))}
	p.dec.UseNumber()
	node, err := p.value("", 0)
	if err != nil {
		return err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return domain.Errorf(CodeMalformedJSON, "There is something after the end of the JSON value.")
	}
	p.problems = append(p.problems, checkShape(node, reflect.TypeOf(dst).Elem(), "")...)
	if len(p.problems) > 0 {
		return invalid(p.problems)
	}
	if p.repeated {
		// The last of two fields with one name counts, whole: encoding/json would merge them.
		if body, err = json.Marshal(node); err != nil {
			return fmt.Errorf("encode a body with repeated fields: %w", err)
		}
	}
	if err := json.Unmarshal(body, dst); err != nil {
		if _, broken := errors.AsType[*json.SyntaxError](err); broken {
			return &domain.Error{Code: CodeMalformedJSON, Message: "The body is not JSON: " + err.Error() + ".", Err: err}
		}
		// The shape fits, so this is a value that its own type refuses.
		return &domain.Error{Code: domain.CodeInvalid, Message: "A value cannot be used: " + err.Error(), Err: err}
	}
	return checkValues(dst)
}

// decodeAny reads one JSON value of any shape: what it must hold is for others to say.
func decodeAny(body []byte) (json.RawMessage, error) {
	if !utf8.Valid(body) {
		return nil, domain.Errorf(CodeMalformedJSON, "The body is not UTF-8.")
	}
	p := parser{body: body, dec: json.NewDecoder(bytes.NewReader(body))}
	p.dec.UseNumber()
	if _, err := p.value("", 0); err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, domain.Errorf(CodeMalformedJSON, "There is something after the end of the JSON value.")
	}
	if len(p.problems) > 0 {
		return nil, invalid(p.problems)
	}
	return bytes.TrimSpace(body), nil
}

// invalid is the 422 for all mistakes found.
func invalid(problems []domain.FieldError) error {
	message := problems[0].Message
	if len(problems) > 1 {
		message = fmt.Sprintf("%d values are wrong. The first: %s", len(problems), message)
	}
	return &domain.Error{Code: domain.CodeInvalid, Message: message, Fields: problems}
}

// parser reads JSON into plain values and notes text that cannot be stored. It counts
// the depth itself and sees every string as it was written: a lone surrogate is gone
// once encoding/json has decoded it.
type parser struct {
	body     []byte
	dec      *json.Decoder
	problems []domain.FieldError
	repeated bool // some object has two fields with one name
}

func (p *parser) value(pointer string, depth int) (any, error) {
	token, raw, err := p.next()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if depth >= maxDepth {
			return nil, domain.Errorf(CodeTooDeep, "The body is nested more than %d deep.", maxDepth)
		}
		if t == '{' {
			return p.object(pointer, depth)
		}
		return p.array(pointer, depth)
	case string:
		p.checkText(raw, pointer)
	}
	return token, nil
}

func (p *parser) object(pointer string, depth int) (any, error) {
	out := map[string]any{}
	for p.dec.More() {
		token, raw, err := p.next()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		at := pointer + "/" + escapePointer(name)
		p.checkText(raw, at)
		_, twice := out[name]
		p.repeated = p.repeated || twice
		if out[name], err = p.value(at, depth+1); err != nil {
			return nil, err
		}
	}
	_, _, err := p.next()
	return out, err
}

func (p *parser) array(pointer string, depth int) (any, error) {
	out := []any{}
	for p.dec.More() {
		v, err := p.value(pointer+"/"+strconv.Itoa(len(out)), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, _, err := p.next()
	return out, err
}

// next is the next token and its text (with what stands before it).
func (p *parser) next() (json.Token, []byte, error) {
	from := p.dec.InputOffset()
	token, err := p.dec.Token()
	if err != nil {
		detail := err.Error()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			detail = "it ends too early"
		}
		return nil, nil, &domain.Error{Code: CodeMalformedJSON, Message: fmt.Sprintf("The body is not JSON: %s (near byte %d).", detail, p.dec.InputOffset()), Err: err}
	}
	return token, p.body[from:p.dec.InputOffset()], nil
}

// checkText refuses what a database cannot keep or other programs cannot read: NUL,
// and half of a surrogate pair.
func (p *parser) checkText(raw []byte, pointer string) {
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i+1 < len(raw); {
		width := 2
		if raw[i+1] == 'u' {
			width = 6
			switch unit := hex4(raw[i+2:]); {
			case unit == 0:
				p.problems = append(p.problems, domain.FieldError{Pointer: pointer, Code: "nul", Message: "Text may not hold the character NUL."})
				return
			case unit >= 0xD800 && unit < 0xDC00 && bytes.HasPrefix(raw[i+6:], []byte(`\u`)) && hex4(raw[i+8:])>>10 == 0xDC00>>10:
				width = 12
			case unit >= 0xD800 && unit < 0xE000:
				p.problems = append(p.problems, domain.FieldError{Pointer: pointer, Code: "lone_surrogate", Message: "Text may not hold half of a surrogate pair."})
				return
			}
		}
		next := bytes.IndexByte(raw[i+width:], '\\')
		if next < 0 {
			return
		}
		i += width + next
	}
}

// hex4 reads four hexadecimal digits; the decoder has seen that they are.
func hex4(b []byte) uint64 {
	n, _ := strconv.ParseUint(string(b[:min(4, len(b))]), 16, 32)
	return n
}

// escapePointer writes a name as a part of a JSON pointer (RFC 6901).
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
