package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/connectors/webpush"
	"github.com/fermata-dev/fermata/domain"
)

// notification is what the page's service worker is sent.
type notification struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	URL   string `json:"url"`
	// Tag: of two notifications with one tag the later one is shown.
	Tag         string `json:"tag"`
	WorkspaceID string `json:"workspace_id"`
	ApprovalID  string `json:"approval_id,omitempty"` // of one that is asked alone
	SessionID   string `json:"session_id,omitempty"`
}

// in is the same news in another language.
func (t *told) in(language string) *told {
	settings, other := *t.settings, *t
	if language != "" {
		settings.Language = language
	}
	other.settings = &settings
	return &other
}

// push is what stands in a push. It holds no link that answers by itself: whoever takes the
// telephone up is asked who they are by the page.
func (t *told) push(page string) ([]byte, error) {
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
		n.Body = t.settings.Say("Open Fermata to look and answer.", "Ouvrez Fermata pour voir et répondre.")
	}
	return n.fitted()
}

// trial is a push that tells nothing.
func trial(language, page string) ([]byte, error) {
	s := &domain.Settings{Language: language}
	n := notification{
		Title: s.Say("This browser is told", "Ce navigateur est prévenu"), Tag: "test", URL: page + "/",
		Body: s.Say("What waits for you will come here.", "Ce qui vous attend arrivera ici."),
	}
	return n.fitted()
}

// fitted writes a notification, with as much of its text as there is room for.
func (n *notification) fitted() ([]byte, error) {
	for {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(n); err != nil {
			return nil, fmt.Errorf("write a push: %w", err)
		}
		text := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
		over := len(text) - webpush.MaxText
		if over <= 0 {
			return text, nil
		}
		short := []rune(strings.TrimSuffix(n.Body, "…"))
		if len(short) == 0 {
			return nil, errors.New("write a push: there is no room for its address")
		}
		n.Body = string(short[:max(len(short)-over/6-1, 0)]) + "…" // no character takes more than 6 bytes
	}
}
