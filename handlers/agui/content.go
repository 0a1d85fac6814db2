package agui

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// part is a part of a user message: text, a picture or a document. Before version 1.0 of the
// protocol the last two were of the type binary, with their fields beside the type.
type part struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source *struct {
		Type     string `json:"type"`
		Value    string `json:"value"`
		MimeType string `json:"mimeType"`
	} `json:"source"`
	Metadata struct {
		Filename string `json:"filename"`
	} `json:"metadata"`

	MimeType string `json:"mimeType"`
	ID       string `json:"id"`
	URL      string `json:"url"`
	Data     string `json:"data"`
	Filename string `json:"filename"`
}

// piecesOf reads the content of a user message: a text or parts.
func piecesOf(raw json.RawMessage, at string) ([]rounds.Piece, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '[' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, domain.Invalid(at, "wrong_type", "content takes a text or a list of parts.")
		}
		return []rounds.Piece{{Text: text}}, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, domain.Invalid(at, "wrong_type", "content takes a text or a list of parts.")
	}
	var pieces []rounds.Piece
	for i := range parts {
		var p part
		here := fmt.Sprintf("%s/%d", at, i)
		if err := json.Unmarshal(parts[i], &p); err != nil {
			return nil, domain.Invalid(here, "wrong_type", "This is not a part of a message.")
		}
		piece, err := p.piece(here)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece)
	}
	return pieces, nil
}

func (p *part) piece(at string) (out rounds.Piece, err error) {
	switch {
	case p.Type == "text":
		return rounds.Piece{Text: p.Text}, nil
	case p.Type == "binary":
		out.File, err = p.binary(at)
		return out, err
	case p.Type != "image" && p.Type != "document":
		return out, domain.Invalid(at+"/type", "not_supported", "Only text, pictures and documents can be sent. Nothing was stored.")
	case p.Source == nil:
		return out, domain.Invalid(at+"/source", "required", "A part of type %s needs a source.", p.Type)
	}
	here := at + "/source/value"
	switch s := p.Source; s.Type {
	case "data":
		out.File, err = rounds.AttachmentWith(here, p.Metadata.Filename, s.MimeType, s.Value)
	case "url":
		out.File, err = rounds.AttachmentAtURL(here, p.Metadata.Filename, s.Value)
	case "file":
		out.File, err = rounds.UploadedAttachment(here, s.Value)
	default:
		err = domain.Invalid(at+"/source/type", "not_allowed", "type takes one of: data, url, file.")
	}
	return out, err
}

func (p *part) binary(at string) (*rounds.Attachment, error) {
	switch {
	case p.Data != "":
		return rounds.AttachmentWith(at+"/data", p.Filename, p.MimeType, p.Data)
	case p.URL != "":
		return rounds.AttachmentAtURL(at+"/url", p.Filename, p.URL)
	case p.ID != "":
		return rounds.UploadedAttachment(at+"/id", p.ID)
	}
	return nil, domain.Invalid(at+"/data", "required", "A part of type binary needs data, in base64.")
}
