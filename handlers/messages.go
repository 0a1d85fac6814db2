package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// messageContent is what a person says: text, or segments.
type messageContent struct {
	Text     *string        `json:"text" validate:"omitempty,min=1,max=100000"`
	Segments []segmentInput `json:"segments" validate:"omitempty,max=200,dive"`
}

type segmentInput struct {
	Type       string           `json:"type" validate:"required,oneof=text enrichment"`
	Text       *string          `json:"text" validate:"omitempty,max=100000"`
	Enrichment *enrichmentInput `json:"enrichment" validate:"omitempty"`
}

type enrichmentInput struct {
	Type   string          `json:"type" validate:"required,oneof=POINTER USE CREATE MODIFY_CONFIG"`
	Config json.RawMessage `json:"config" validate:"required,object"`
}

type messageInput struct {
	messageContent
	IfBusy *string `json:"if_busy" validate:"omitempty,oneof=enqueue steer interrupt reject"`
}

func (s *server) listMessages(w http.ResponseWriter, r *http.Request) {
	limit, after, err := paging(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	order, err := oneOf(r, "order", "asc", "desc")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ws, id := caller(r).Workspace, sessionID(r)
	if _, err := s.SessionReader.Session(r.Context(), ws, id); err != nil {
		s.fail(w, r, err)
		return
	}
	writeList(s, w, r, limit, api.MessageFrom, func(limit int) ([]*domain.Message, string, error) {
		return s.SessionReader.MessagePage(r.Context(), ws, id, after, limit, order == "desc")
	})
}

func (s *server) sendMessage(w http.ResponseWriter, r *http.Request) {
	var in messageInput
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	who := caller(r)
	rich, err := s.richText(r.Context(), who.Workspace, &in.messageContent)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ask := domain.NewMessage{Rich: *rich, By: who.Author()}
	if in.IfBusy != nil {
		ask.IfBusy = domain.IfBusy(*in.IfBusy)
	}
	receipt, err := s.Conversation.SendMessage(r.Context(), who.Workspace, sessionID(r), ask)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body, err := api.EncodeAccepted(receipt.Message, receipt.Session, receipt.Seq)
	s.writeEncoded(w, r, http.StatusAccepted, body, err)
}

func (s *server) editMessage(w http.ResponseWriter, r *http.Request) {
	var in messageContent
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	ws := caller(r).Workspace
	rich, err := s.richText(r.Context(), ws, &in)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	receipt, err := s.Conversation.EditMessage(r.Context(), ws, sessionID(r), chi.URLParam(r, "message_id"), *rich, caller(r).Author())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, api.MessageResult{
		Message: *api.MessageFrom(receipt.Message), Session: *api.SessionFrom(receipt.Session), EventSeq: receipt.Seq,
	})
}

func (s *server) withdrawMessage(w http.ResponseWriter, r *http.Request) {
	receipt, err := s.Conversation.WithdrawMessage(r.Context(), caller(r).Workspace, sessionID(r), chi.URLParam(r, "message_id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, sessionResult(receipt))
}

// richText checks what a person wrote and makes it what is stored. Plain text, the
// common case, asks nobody.
func (s *server) richText(ctx context.Context, ws string, in *messageContent) (*domain.RichContent, error) {
	return richTextOf(ctx, ws, in, s.RichText.Resolve)
}

func richTextOf(ctx context.Context, ws string, in *messageContent, resolve func(context.Context, string, []domain.Segment) (*domain.RichContent, error)) (*domain.RichContent, error) {
	switch {
	case in.Text != nil && in.Segments != nil:
		return nil, domain.Invalid("/segments", "not_allowed", "Send either text or segments.")
	case in.Text != nil && strings.TrimSpace(*in.Text) == "":
		return nil, domain.Invalid("/text", "required", "The message is empty.")
	case in.Text != nil:
		return &domain.RichContent{LinearText: *in.Text, Segments: []domain.Segment{{Type: "text", Text: *in.Text}}}, nil
	case in.Segments != nil && len(in.Segments) == 0:
		return nil, domain.Invalid("/segments", "required", "The message is empty.")
	case in.Segments == nil:
		return nil, domain.Invalid("/text", "required", "A message needs text or segments.")
	}
	segments, err := segmentsOf(in.Segments)
	if err != nil {
		return nil, err
	}
	return resolve(ctx, ws, segments)
}

func segmentsOf(in []segmentInput) ([]domain.Segment, error) {
	segments, length, blank := make([]domain.Segment, 0, len(in)), 0, true
	for i, seg := range in {
		at := "/segments/" + strconv.Itoa(i)
		switch {
		case seg.Type == "text" && (seg.Text == nil || seg.Enrichment != nil):
			return nil, domain.Invalid(at+"/text", "required", "A text segment has text, and nothing else.")
		case seg.Type == "enrichment" && (seg.Enrichment == nil || seg.Text != nil):
			return nil, domain.Invalid(at+"/enrichment", "required", "An enrichment segment has an enrichment, and nothing else.")
		case seg.Type == "text":
			segments = append(segments, domain.Segment{Type: "text", Text: *seg.Text})
			length += len(*seg.Text)
			blank = blank && strings.TrimSpace(*seg.Text) == ""
		default:
			blank = false
			segments = append(segments, domain.Segment{Type: "enrichment", Enrichment: &domain.Enrichment{
				Type: domain.EnrichmentType(seg.Enrichment.Type), Config: seg.Enrichment.Config,
			}})
		}
	}
	switch {
	case blank:
		return nil, domain.Invalid("/segments", "required", "The message is empty.")
	case length > 4*maxText:
		return nil, domain.Invalid("/segments", "too_large", "The text of all segments together may have %d characters.", maxText)
	}
	return segments, nil
}

// maxText is how many characters a message or document may have.
const maxText = 100_000
