package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// part is a part of a message's content, in either protocol.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // an object with a URL; in responses, the URL
	File     *partFile       `json:"file"`
	partFile                 // in responses
}

// partFile is a file in a part.
type partFile struct {
	Data string `json:"file_data"`
	ID   string `json:"file_id"`
	Name string `json:"filename"`
	URL  string `json:"file_url"`
}

// partsOf reads the content of a message: a text, or a list of parts.
func partsOf(raw json.RawMessage, pointer string) ([]part, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil // an answer that has only calls
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, domain.Invalid(pointer, "wrong_type", "content cannot be decoded.")
		}
		return []part{{Type: "text", Text: text}}, nil
	case raw[0] != '[':
		return nil, domain.Invalid(pointer, "wrong_type", "content takes a text or a list of parts.")
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, domain.Invalid(pointer, "wrong_type", "content takes a text or a list of parts.")
	}
	return parts, nil
}

// piecesOf reads the content of a message as text and attachments.
func piecesOf(raw json.RawMessage, pointer string) ([]rounds.Piece, error) {
	parts, err := partsOf(raw, pointer)
	if err != nil {
		return nil, err
	}
	var pieces []rounds.Piece
	for i := range parts {
		at := fmt.Sprintf("%s/%d", pointer, i)
		piece, err := parts[i].piece(at)
		if err != nil {
			return nil, err
		}
		if n := len(pieces); n > 0 && piece.File == nil && pieces[n-1].File == nil {
			pieces[n-1].Text += piece.Text
			continue
		}
		pieces = append(pieces, piece)
	}
	return pieces, nil
}

func (p *part) piece(at string) (out rounds.Piece, err error) {
	switch p.Type {
	case "text", "input_text", "output_text":
		out.Text = p.Text
	case "refusal":
		out.Text = p.Refusal
	case "image_url":
		var image struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(p.ImageURL, &image) != nil {
			return out, domain.Invalid(at+"/image_url", "wrong_type", "image_url takes an object with a url.")
		}
		out.File, err = rounds.AttachmentAtURL(at+"/image_url/url", "", image.URL)
	case "input_image":
		var address string
		if IsGiven(p.ImageURL) && json.Unmarshal(p.ImageURL, &address) != nil {
			return out, domain.Invalid(at+"/image_url", "wrong_type", "image_url takes an address.")
		}
		if p.ID != "" {
			out.File, err = rounds.UploadedAttachment(at+"/file_id", p.ID)
		} else {
			out.File, err = rounds.AttachmentAtURL(at+"/image_url", "", address)
		}
	case "file":
		if p.File == nil {
			return out, domain.Invalid(at+"/file", "required", "file takes an object with file_data and filename, or with file_id.")
		}
		out.File, err = p.File.sent(at + "/file")
	case "input_file":
		out.File, err = p.partFile.sent(at)
	default:
		return out, domain.Invalid(at+"/type", "not_supported", "Only text, pictures and files can be sent. Nothing was stored.")
	}
	return out, err
}

// sent returns the file of a part as an attachment.
func (f *partFile) sent(at string) (*rounds.Attachment, error) {
	switch {
	case f.ID != "":
		return rounds.UploadedAttachment(at+"/file_id", f.ID)
	case f.Data != "":
		return rounds.AttachmentWith(at+"/file_data", f.Name, "", f.Data)
	case f.URL != "":
		return rounds.AttachmentAtURL(at+"/file_url", f.Name, f.URL)
	}
	return nil, domain.Invalid(at+"/file_data", "required", "A file needs file_data, in base64, or the file_id of one that was uploaded.")
}

// TextOf reads the content of a message that may contain text only.
func TextOf(raw json.RawMessage, pointer string) (string, error) {
	parts, err := partsOf(raw, pointer)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range parts {
		switch p := &parts[i]; p.Type {
		case "text", "input_text", "output_text":
			b.WriteString(p.Text)
		case "refusal":
			b.WriteString(p.Refusal)
		case "image_url", "input_image", "file", "input_file":
			return "", domain.Invalid(fmt.Sprintf("%s/%d", pointer, i), "files_not_supported",
				"A picture or a file can only stand in a message of the user to the model %q. Nothing was stored.", ModelSession)
		default:
			return "", domain.Invalid(fmt.Sprintf("%s/%d/type", pointer, i), "not_supported",
				"Only parts of type text can be sent. Nothing was stored.")
		}
	}
	return b.String(), nil
}
