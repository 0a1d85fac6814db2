package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/visible"
	"github.com/fermata-dev/fermata/rounds"
)

// Roles of messages.
const (
	RoleSystem    = "system"
	RoleDeveloper = "developer"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// InputMessage is a message of a client, with its JSON pointers in the request.
type InputMessage struct {
	Role, Text string
	Pieces     []rounds.Piece // content of a user message
	At         string
	content    string
	// Of a tool result: the id of its call, and the JSON pointer of that below At.
	Call, CallAt string
}

// NewInputMessage reads a message. Only messages of the user may have attachments. at and content are
// the JSON pointers of the message and of its content.
func NewInputMessage(role string, raw json.RawMessage, at, content string) (InputMessage, error) {
	m := InputMessage{Role: role, At: at, content: content}
	if role != RoleUser {
		text, err := TextOf(raw, content)
		m.Text = text
		return m, err
	}
	var err error
	m.Pieces, err = piecesOf(raw, content)
	m.Text = rounds.TextOf(m.Pieces)
	return m, err
}

// CheckSize limits the size of a body without its attachments.
func CheckSize(body []byte, all []InputMessage) error {
	var pieces []rounds.Piece
	for i := range all {
		pieces = append(pieces, all[i].Pieces...)
	}
	return rounds.CheckTextSize(len(body), pieces)
}

// maxMessage limits the characters of a message, as in the API.
const maxMessage = 100_000

// CheckText rejects the content of a message that is empty or too long.
func (m *InputMessage) CheckText(pieces []rounds.Piece) error {
	text := rounds.TextOf(pieces)
	switch {
	case strings.TrimSpace(text) == "" && len(rounds.Attachments(pieces)) == 0:
		return domain.Invalid(m.content, "required", "The last message is empty.")
	case utf8.RuneCountInString(text) > maxMessage:
		return domain.Invalid(m.content, "too_long", "A message has %d characters at most.", maxMessage)
	}
	return nil
}

// HistoryOf returns the messages of a request as a history.
func HistoryOf(all []InputMessage, scope rounds.Scope) (*rounds.History, error) {
	h := &rounds.History{Scope: scope}
	last := len(all) - 1
	for last >= 0 && (all[last].Role == RoleSystem || all[last].Role == RoleDeveloper) {
		last--
	}
	if last < 0 || all[last].Role != RoleUser {
		return nil, domain.Invalid(all[max(last, 0)].At, "not_a_message", "The last message must be one of the user.")
	}
	h.Pieces = all[last].Pieces
	if err := all[last].CheckText(h.Pieces); err != nil {
		return nil, err
	}
	var instructions []string
	for i, m := range all {
		switch {
		case m.Role == RoleSystem || m.Role == RoleDeveloper:
			if text := strings.TrimSpace(m.Text); text != "" {
				instructions = append(instructions, text)
			}
		case i == last, m.Role == RoleTool: // tool results are in the record
		case m.Role == RoleUser:
			h.Before = append(h.Before, rounds.Exchange{User: m.Text, Pieces: m.Pieces})
		default:
			h.AddAnswer(m.Text)
		}
	}
	h.Instructions = strings.Join(instructions, "\n\n")
	return h, nil
}

// IsGiven reports whether a field has a value that is not empty.
func IsGiven(raw json.RawMessage) bool {
	text := string(bytes.TrimSpace(raw))
	return text != "" && text != "null" && text != "[]"
}

// User is how a body names the user of a program: by user, or by safety_identifier, which has replaced it.
type User struct {
	User             string `json:"user"`
	SafetyIdentifier string `json:"safety_identifier"`
}

// Check rejects a field that is not a name.
func (u User) Check() error {
	for _, f := range []struct{ name, value string }{{"user", u.User}, {"safety_identifier", u.SafetyIdentifier}} {
		if len(f.value) > MaxName || !visible.IsName(f.value) {
			return domain.Invalid("/"+f.name, "not_a_name", "%s takes a line of %d bytes at most.", f.name, MaxName)
		}
	}
	return nil
}

// Payer is who pays, in the words of the program.
func (u User) Payer() string { return cmp.Or(u.User, u.SafetyIdentifier) }

// UserOf returns the user whom a body names, and where; "" if it names none.
func UserOf(body []byte) (user, pointer string, err error) {
	var u User
	if err := jsonbody.Fill(body, &u); err != nil {
		return "", "", WrongType(err)
	}
	switch {
	case u.User == "":
		return u.SafetyIdentifier, "/safety_identifier", nil
	case u.SafetyIdentifier != "" && u.SafetyIdentifier != u.User:
		return "", "", domain.Invalid("/safety_identifier", "differs", "user and safety_identifier name different people. Send one of them.")
	}
	return u.User, "/user", nil
}

// WrongType names the value of a body that has the wrong type.
func WrongType(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || wrong.Field == "" {
		return &domain.Error{Code: domain.CodeInvalid, Message: "The body has a value of a type that cannot be used here.", Err: err}
	}
	pointer := "/" + strings.ReplaceAll(wrong.Field, ".", "/")
	return domain.Invalid(pointer, "wrong_type", "%s cannot be of the type %s.", wrong.Field, wrong.Value)
}
