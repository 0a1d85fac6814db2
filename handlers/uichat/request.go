package uichat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
	"github.com/fermata-dev/fermata/rounds"
)

// input is the request of a front end: everything that it has of a chat. The newest message of the
// user is used, and the answer to it as far as the front end has it.
type input struct {
	ID       string    `json:"id"`
	Trigger  string    `json:"trigger"`
	Messages []message `json:"messages"`
	// Message is the newest message, of a front end that sends no history.
	Message *message `json:"message"`

	user   uiMessage
	at     int            // index of user in Messages
	pieces []rounds.Piece // text and attachments of user
	held   *uiMessage     // the last message after user
}

// message is a message whose parts are decoded only if they are needed.
type message struct {
	ID    string          `json:"id"`
	Role  string          `json:"role"`
	Parts json.RawMessage `json:"parts"`
}

type uiMessage struct {
	ID    string
	Parts []part
}

// part is a part of a message: text, a tool call, a file, or the start of a step.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	CallID   string          `json:"toolCallId"`
	State    string          `json:"state"`
	Media    string          `json:"mediaType"` // of a file, as the front end states it
	Filename string          `json:"filename"`
	URL      string          `json:"url"`
	Output   json.RawMessage `json:"output"`
	Approval *struct {
		ID       string `json:"id"`
		Approved *bool  `json:"approved"`
		Reason   string `json:"reason"`
	} `json:"approval"`
}

// isTool reports whether the part is a tool call: its type is dynamic-tool, or has the name of the
// tool.
func (p *part) isTool() bool {
	return p.CallID != "" && (p.Type == "dynamic-tool" || strings.HasPrefix(p.Type, "tool-"))
}

const (
	stepStart  = "step-start"
	regenerate = "regenerate-message" // trigger of another try
	maxName    = 200
	maxMessage = 100_000
)

// readInput decodes and validates the body.
func readInput(body []byte) (*input, error) {
	in := &input{}
	if err := json.Unmarshal(body, in); err != nil {
		return nil, &domain.Error{Code: domain.CodeInvalid, Message: "The body is not a chat request.", Err: err}
	}
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	if len(in.Messages) == 0 && in.Message != nil {
		in.Messages = []message{*in.Message}
	}
	in.Message = nil
	last := len(in.Messages) - 1
	for last >= 0 && in.Messages[last].Role != "user" {
		last--
	}
	if last < 0 {
		return nil, domain.Invalid("/messages", "required", "There is no user message.")
	}
	in.at = last
	read := len(in.Messages[last].Parts)
	var err error
	if in.user, err = in.Messages[last].read(); err != nil {
		return nil, err
	}
	if behind := in.Messages[last+1:]; len(behind) > 0 {
		read += len(behind[len(behind)-1].Parts)
		held, err := behind[len(behind)-1].read()
		if err != nil {
			return nil, err
		}
		in.held = &held
	}
	in.Messages = nil // released, because the answer may take long
	if err := in.check(); err != nil {
		return nil, err
	}
	return in, rounds.CheckTextSize(read, in.pieces)
}

func checkID(id string) error {
	if id == "" || len(id) > maxName || !visible.IsName(id) {
		return domain.Invalid("/id", "required", "A chat needs an id: one line of at most %d bytes.", maxName)
	}
	return nil
}

func (m *message) read() (uiMessage, error) {
	out := uiMessage{ID: m.ID}
	if len(m.Parts) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(m.Parts, &out.Parts); err != nil {
		return out, &domain.Error{Code: domain.CodeInvalid, Message: "A message cannot be decoded.", Err: err}
	}
	return out, nil
}

func (in *input) check() error {
	texts, files := "", 0
	for i, p := range in.user.Parts {
		piece := rounds.Piece{Text: p.Text}
		switch {
		case p.Type == "file":
			var err error
			if piece.File, err = rounds.AttachmentAtURL(fmt.Sprintf("/messages/%d/parts/%d/url", in.at, i), p.Filename, p.URL); err != nil {
				return err
			}
			files++
		case p.Type != "text":
			continue
		case texts != "":
			piece.Text = "\n" + p.Text
		}
		texts += piece.Text
		in.pieces = append(in.pieces, piece)
	}
	in.user.Parts = nil // released: they may be large
	switch {
	case in.user.ID == "" || len(in.user.ID) > maxName:
		return domain.Invalid("/messages", "required", "The message needs an id.")
	case strings.TrimSpace(texts) == "" && files == 0:
		return domain.Invalid("/messages", "required", "The message is empty.")
	case len([]rune(texts)) > maxMessage:
		return domain.Invalid("/messages", "too_long", "A message can have at most %d characters.", maxMessage)
	}
	return nil
}

// lastStep returns the parts of the last step, which contains the answers.
func (m *uiMessage) lastStep() []part {
	for i, p := range slices.Backward(m.Parts) {
		if p.Type == stepStart {
			return m.Parts[i+1:]
		}
	}
	return m.Parts
}
