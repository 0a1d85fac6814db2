package edge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// beginning is what is taken for a body before any of it has come.
const beginning = 16 << 10

// Read decodes the body of a request into the struct that dst points to, and checks
// its shape. What cannot be read is a 400, 413 or 415; what can be read but is wrong, a
// 422 that points at every mistake.
func (s *Edge) Read(w http.ResponseWriter, r *http.Request, dst any) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return EmptyBody()
	}
	return s.decodeWhenFree(w, r, body, dst)
}

func EmptyBody() error {
	return domain.Errorf(CodeEmptyBody, "This call needs a JSON object as its body.")
}

// ReadEmpty is for calls that take no body: an empty object is fine, a field is not.
func (s *Edge) ReadEmpty(w http.ResponseWriter, r *http.Request) error {
	return s.ReadOptional(w, r, &struct{}{})
}

// ReadOptional is read of a body that may be left out.
func (s *Edge) ReadOptional(w http.ResponseWriter, r *http.Request, dst any) error {
	if r.ContentLength == 0 || r.Body == nil {
		return nil
	}
	body, err := readBody(w, r)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	return s.decodeWhenFree(w, r, body, dst)
}

// decodeWhenFree is decode; a large body waits until none before it of the same credential
// is being read.
func (s *Edge) decodeWhenFree(w http.ResponseWriter, r *http.Request, body []byte, dst any) error {
	if len(body) >= Large {
		room, err := s.RoomForWork(w, r)
		if err != nil {
			return err
		}
		defer room.Release()
	}
	return Decode(body, dst)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := bodyLimit(r)
	if r.ContentLength > limit {
		return nil, domain.Errorf(CodeTooLarge, "The body is larger than %d bytes.", limit)
	}
	body, err := WholeBody(w, r, limit)
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, err
		}
		return nil, IncompleteBody(err)
	}
	if len(body) == 0 {
		return nil, nil
	}
	return body, CheckType(w, r)
}

// CheckType refuses a body that does not say that it is JSON.
func CheckType(w http.ResponseWriter, r *http.Request) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	known := kind == "application/json" || kind == mergePatch && r.Method == http.MethodPatch
	if err != nil || !known || charset != "" && !strings.EqualFold(charset, "utf-8") {
		if r.Method == http.MethodPatch {
			w.Header().Set("Accept-Patch", patchTypes)
		}
		return domain.Errorf(CodeUnsupportedType, "Send the body as Content-Type: application/json.")
	}
	return nil
}

// keptBody is a body that was read before, for the handler to read.
type keptBody struct {
	*bytes.Reader
	text []byte
}

func keep(text []byte) io.ReadCloser { return &keptBody{bytes.NewReader(text), text} }

func (*keptBody) Close() error { return nil }

// WholeBody reads the body up to its end, in memory that grows with what has come: what a body says it has
// may never come. One that was kept is not copied.
func WholeBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if kept, ok := r.Body.(*keptBody); ok && int64(len(kept.text)) <= limit {
		return kept.text, nil
	}
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(min(r.ContentLength, limit, beginning)) + bytes.MinRead) // the read that finds the end needs room too
	}
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, limit))
	return body.Bytes(), err //nolint:wrapcheck // callers write the message
}

// PATCH takes a JSON merge patch (RFC 7396), under its own name or as plain JSON.
const (
	mergePatch = "application/merge-patch+json"
	patchTypes = mergePatch + ", application/json"
)

// IncompleteBody converts a read error into one for an incomplete body, unless it has a code already.
func IncompleteBody(err error) error {
	var tooLarge *http.MaxBytesError
	var known *domain.Error
	if errors.As(err, &tooLarge) || errors.As(err, &known) {
		return err
	}
	return &domain.Error{Code: CodeUnreadable, Message: "The body broke off before its end.", Err: err}
}

// Decode reads one JSON object into dst.
func Decode(body []byte, dst any) error {
	node, mistakes, err := readJSON(body, jsonbody.Request)
	if err != nil {
		return err
	}
	shape := shapeChecker{mistakes: mistakes}
	shape.check(node, reflect.TypeOf(dst).Elem())
	if err := Invalid(mistakes); err != nil {
		return err
	}
	jsonbody.LetOthers(len(body))
	if err := jsonbody.Fill(body, dst); err != nil {
		// The shape fits, so this is a value that its own type refuses.
		said := "A value cannot be used: " + err.Error()
		return &domain.Error{Code: domain.CodeInvalid, Message: shorten.Characters(said, jsonbody.MaxMessage), Err: err}
	}
	jsonbody.LetOthers(len(body))
	return Invalid(&jsonbody.Mistakes{List: BrokenRules(dst)})
}

// DecodeAny reads one JSON value of any shape: what it must hold is for others to say.
func DecodeAny(body []byte, rules jsonbody.Rules) (json.RawMessage, error) {
	_, mistakes, err := readJSON(body, rules)
	if err == nil {
		err = Invalid(mistakes)
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSpace(body), nil
}

// unreadJSON are the codes for bodies that were not read.
var unreadJSON = map[jsonbody.Reason]domain.Code{
	jsonbody.Malformed: codeMalformedJSON,
	jsonbody.TooLarge:  CodeTooLarge,
	jsonbody.TooDeep:   codeTooDeep,
	jsonbody.Repeated:  codeRepeatedName,
}

func readJSON(body []byte, rules jsonbody.Rules) (any, *jsonbody.Mistakes, error) {
	node, mistakes, err := jsonbody.Read(body, rules)
	if unread, ok := errors.AsType[*jsonbody.Error](err); ok {
		return nil, nil, &domain.Error{Code: unreadJSON[unread.Reason], Message: "The body is " + unread.Detail + ".", Err: err}
	}
	return node, mistakes, err
}

// Invalid is the 422 for all mistakes found; nil without one.
func Invalid(mistakes *jsonbody.Mistakes) error {
	if len(mistakes.List) == 0 {
		return nil
	}
	fields := make([]domain.FieldError, 0, len(mistakes.List))
	for _, m := range mistakes.List {
		fields = append(fields, domain.FieldError(m))
	}
	message := fields[0].Message
	switch n := len(fields); {
	case mistakes.Full():
		message = fmt.Sprintf("%d values are wrong, and maybe more. The first: %s", n, message)
	case n > 1:
		message = fmt.Sprintf("%d values are wrong. The first: %s", n, message)
	}
	return &domain.Error{Code: domain.CodeInvalid, Message: message, Fields: fields}
}
