package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/notify/webpush"
)

// notification is the payload for the web app's service worker.
type notification struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	URL   string `json:"url"`
	// Tag: a later notification with the same tag replaces an earlier one.
	Tag         string `json:"tag"`
	WorkspaceID string `json:"workspace_id"`
	ApprovalID  string `json:"approval_id,omitempty"` // // if it is about a single approval
	SessionID   string `json:"session_id,omitempty"`
}

// in returns the message in another language.
func (t *message) in(language string) *message {
	settings, other := *t.settings, *t
	if language != "" {
		settings.Language = language
	}
	other.settings = &settings
	return &other
}

// push renders the payload of a push. It contains no link that authorizes an answer: anyone who holds
// the device has to sign in to the web app.
func (t *message) push(page string) ([]byte, error) {
	n := notification{Title: t.title(), Tag: t.about, URL: page + "/#/approvals", WorkspaceID: t.asked[0].WorkspaceID}
	var lines []string
	for i, item := range t.items() {
		if len(t.asked) > 1 {
			lines = append(lines, item.What)
		} else {
			n.ApprovalID, n.SessionID, n.URL = t.asked[i].ID, t.asked[i].SessionID, t.links[i]
		}
		for _, detail := range item.Details {
			if detail != "" {
				lines = append(lines, detail)
			}
		}
	}
	if n.Body = strings.Join(lines, "\n"); n.Body == "" || !t.settings.Notifications.ShowContent {
		n.Body = t.settings.Say("Open Fermata to view and answer.", "Ouvrez Fermata pour voir et répondre.")
	}
	return n.fitted()
}

// trial renders a test push.
func trial(language, page string) ([]byte, error) {
	s := &domain.Settings{Language: language}
	n := notification{
		Title: s.Say("Notifications are on for this browser", "Ce navigateur est prévenu"), Tag: "test", URL: page + "/",
		Body: s.Say("Requests for you will appear here.", "Ce qui vous attend arrivera ici."),
	}
	return n.fitted()
}

// fitted encodes a notification, truncating its text to fit.
func (n *notification) fitted() ([]byte, error) {
	for {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(n); err != nil {
			return nil, fmt.Errorf("encode a push: %w", err)
		}
		text := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
		over := len(text) - webpush.MaxText
		if over <= 0 {
			return text, nil
		}
		short := []rune(strings.TrimSuffix(n.Body, "…"))
		if len(short) == 0 {
			return nil, errors.New("encode a push: its URL is too long")
		}
		n.Body = string(short[:max(len(short)-over/6-1, 0)]) + "…" // // no character takes more than 6 bytes
	}
}
