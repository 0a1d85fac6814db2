package automations

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Services send what they send: JSON under another type, forms, texts. All become one JSON value, which
// is external content wherever it is read.

// readEvent reads the body of a webhook's call: any JSON value, a form as an object, a text, or nothing.
func readEvent(w http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	if err := edge.CheckEncoding(w, r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, jsonbody.MaxEvent))
	if err != nil {
		return nil, edge.Unreadable(err)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.Header.Get("Content-Type") == "" {
		kind, err = "text/plain", nil
	}
	charset := params["charset"]
	if err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") {
		return nil, noEvent()
	}
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return edge.DecodeAny(body, jsonbody.Event)
	case kind == "application/x-www-form-urlencoded":
		return formEvent(body)
	case kind == "multipart/form-data":
		return multipartEvent(body, params["boundary"])
	case strings.HasPrefix(kind, "text/"):
		return textEvent(body)
	}
	return nil, noEvent()
}

func noEvent() error {
	return domain.Errorf(edge.CodeUnsupportedType, "Send the body as Content-Type: application/json, as a form, or as a text in UTF-8.")
}

// textEvent is JSON that does not say so (Amazon SNS sends it as text/plain), or a text.
func textEvent(body []byte) (json.RawMessage, error) {
	if trimmed := bytes.TrimSpace(body); trimmed[0] == '{' || trimmed[0] == '[' {
		if json.Valid(trimmed) {
			return edge.DecodeAny(body, jsonbody.Event)
		}
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return nil, domain.Errorf(edge.CodeUnreadable, "The body is not text in UTF-8.")
	}
	return json.Marshal(string(body))
}

// formEvent is an object of the form's fields; one that is there several times is a list.
func formEvent(body []byte) (json.RawMessage, error) {
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, domain.Errorf(edge.CodeUnreadable, "The form cannot be read.")
	}
	for name, values := range fields {
		if !utf8.ValidString(name + strings.Join(values, "\n")) {
			return nil, notUTF8()
		}
	}
	event := map[string]any{}
	for name, values := range fields {
		event[name] = values
		if len(values) == 1 {
			event[name] = values[0]
		}
	}
	return asEvent(event)
}

// multipartEvent is formEvent for multipart/form-data. Of a file its name, type and size are kept.
func multipartEvent(body []byte, boundary string) (json.RawMessage, error) {
	// The reader takes a form that is cut in the head of a part for one that has ended.
	if boundary == "" || !bytes.Contains(body, []byte("--"+boundary+"--")) {
		return nil, domain.Errorf(edge.CodeUnreadable, "The form is not complete.")
	}
	event := map[string]any{}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return asEvent(event)
		}
		if err != nil {
			return nil, domain.Errorf(edge.CodeUnreadable, "The form cannot be read.")
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, domain.Errorf(edge.CodeUnreadable, "The form cannot be read.")
		}
		var value any = string(content)
		if part.FileName() == "" && !utf8.Valid(content) || !utf8.ValidString(part.FormName()) {
			return nil, notUTF8()
		}
		if part.FileName() != "" {
			value = map[string]any{
				"filename": userdata.FileName(part.FileName()), "content_type": part.Header.Get("Content-Type"), "bytes": len(content),
			}
		}
		switch before, there := event[part.FormName()]; {
		case !there:
			event[part.FormName()] = value
		default:
			list, is := before.([]any)
			if !is {
				list = []any{before}
			}
			event[part.FormName()] = append(list, value)
		}
	}
}

func notUTF8() error { return domain.Errorf(edge.CodeUnreadable, "The form is not text in UTF-8.") }

// asEvent holds what was made of a form against the rules for JSON: text without NUL, its bounds.
func asEvent(event map[string]any) (json.RawMessage, error) {
	text, err := json.Marshal(event)
	if err != nil {
		return nil, domain.Errorf(edge.CodeUnreadable, "The form cannot be read.")
	}
	return edge.DecodeAny(text, jsonbody.Rules{Bytes: 2 * jsonbody.MaxEvent}) // escapes make it longer than the body
}

// maxChallenge is more than any service asks to be sent back.
const maxChallenge = 512

// challengeIn is what Slack asks to be sent back once, before it sends events.
func challengeIn(body json.RawMessage) string {
	value, err := jsonbody.Value(body)
	fields, is := value.(map[string]any)
	if err != nil || !is || fields["type"] != "url_verification" {
		return ""
	}
	challenge, _ := fields["challenge"].(string)
	return plainChallenge(challenge)
}

// challengeOf is the challenge of a GET: WebSub and Meta (hub.challenge), Dropbox (challenge).
func challengeOf(query url.Values) string {
	if challenge := query.Get("hub.challenge"); challenge != "" && query.Get("hub.mode") == "subscribe" {
		return plainChallenge(challenge)
	}
	return plainChallenge(query.Get("challenge"))
}

// plainChallenge is a challenge of visible ASCII characters: nothing else is sent back.
func plainChallenge(text string) string {
	if len(text) > maxChallenge || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	return text
}

func writeChallenge(w http.ResponseWriter, challenge string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", edge.ContentPolicy)
	_, _ = io.WriteString(w, challenge) //nolint:gosec // visible ASCII, as text/plain, with nosniff; an error means that the caller is gone
}
