package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// FirstMessage is the message of a new session: a text, or what sendMessage takes.
type FirstMessage struct {
	MessageContent
	// Plain: it came as a text, not as what sendMessage takes.
	Plain bool `json:"-"`
}

// UnmarshalJSON reads either form.
func (m *FirstMessage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		m.Plain = true
		return json.Unmarshal(b, &m.Text)
	}
	return json.Unmarshal(b, &m.MessageContent)
}

// Content is what a message says, without how it is sent.
func (in *MessageInput) Content() *MessageContent {
	return &MessageContent{Text: in.Text, Segments: in.Segments, FileIDs: in.FileIDs}
}

// Domain is what a person wrote. Only of plain text is it whole: enrichments and files of
// segments have yet to be resolved, and the linear text made of them. The files of file_ids
// come last.
func (in *MessageContent) Domain() (rich *domain.RichContent, whole bool, err error) {
	switch {
	case in.Text != nil && in.Segments != nil:
		return nil, false, domain.Invalid("/segments", "not_allowed", "Send either text or segments.")
	case in.Text != nil && strings.TrimSpace(*in.Text) == "":
		return nil, false, domain.Invalid("/text", "required", "The message is empty.")
	case in.Text != nil && in.FileIDs == nil:
		return &domain.RichContent{LinearText: *in.Text, Segments: []domain.Segment{{Type: "text", Text: *in.Text}}}, true, nil
	case in.Segments != nil && len(in.Segments) == 0:
		return nil, false, domain.Invalid("/segments", "required", "The message is empty.")
	case in.Text == nil && in.Segments == nil:
		return nil, false, domain.Invalid("/text", "required", "A message needs text or segments.")
	}
	var segments []domain.Segment
	if in.Text != nil {
		segments = []domain.Segment{{Type: domain.SegmentText, Text: *in.Text}}
	} else if segments, err = segmentsOf(in.Segments); err != nil {
		return nil, false, err
	}
	for _, id := range in.FileIDs {
		segments = append(segments, domain.Segment{Type: domain.SegmentFile, File: &domain.FileRef{ID: id}})
	}
	return &domain.RichContent{Segments: segments}, false, nil
}

// FileErrors corrects the pointers of errors about files: the segments of file_ids follow those that were sent.
func (in *MessageContent) FileErrors(err error) error {
	written := len(in.Segments)
	if in.Text != nil {
		written = 1
	}
	return domain.MovePointers(err, func(pointer string) string {
		var at int
		if n, _ := fmt.Sscanf(pointer, "/segments/%d/file_id", &at); n == 1 && at >= written {
			return "/file_ids/" + strconv.Itoa(at-written)
		}
		return pointer
	})
}

func segmentsOf(in []SegmentInput) ([]domain.Segment, error) {
	segments, length, blank := make([]domain.Segment, 0, len(in)), 0, true
	for i := range in {
		segment, err := in[i].domain("/segments/" + strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		segments = append(segments, segment)
		length += len(segment.Text)
		blank = blank && segment.Enrichment == nil && segment.File == nil && strings.TrimSpace(segment.Text) == ""
	}
	switch {
	case blank:
		return nil, domain.Invalid("/segments", "required", "The message is empty.")
	case length > 4*maxText:
		return nil, domain.Invalid("/segments", "too_large", "The text of all segments together may have %d characters.", maxText)
	}
	return segments, nil
}

// maxText is how many characters a message may have.
const maxText = 100_000

func (in *SegmentInput) domain(at string) (domain.Segment, error) {
	switch {
	case in.Type == domain.SegmentFile && (in.FileID == nil || in.Text != nil || in.Enrichment != nil):
		return domain.Segment{}, domain.Invalid(at+"/file_id", "required", "A file segment has a file_id, and nothing else.")
	case in.Type != domain.SegmentFile && in.FileID != nil:
		return domain.Segment{}, domain.Invalid(at+"/file_id", "not_allowed", "Only a file segment has a file_id.")
	case in.Type == domain.SegmentFile:
		return domain.Segment{Type: domain.SegmentFile, File: &domain.FileRef{ID: *in.FileID}}, nil
	case in.Type == "text" && (in.Text == nil || in.Enrichment != nil):
		return domain.Segment{}, domain.Invalid(at+"/text", "required", "A text segment has text, and nothing else.")
	case in.Type == "enrichment" && (in.Enrichment == nil || in.Text != nil):
		return domain.Segment{}, domain.Invalid(at+"/enrichment", "required", "An enrichment segment has an enrichment, and nothing else.")
	case in.Type == "text":
		return domain.Segment{Type: "text", Text: *in.Text}, nil
	}
	return domain.Segment{Type: "enrichment", Enrichment: &domain.Enrichment{
		Type: domain.EnrichmentType(in.Enrichment.Type), Config: in.Enrichment.Config,
	}}, nil
}
