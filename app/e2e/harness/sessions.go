package harness

import (
	"github.com/fermata-dev/fermata/domain"
)

// Chat makes a CHAT and gives its id.
func (s *Server) Chat() string {
	s.T.Helper()
	return s.Call("POST", "/v1/sessions", map[string]any{"type": "CHAT"}).Want(201).Str("id")
}

// Say sends a message and waits until the session rests or waits.
func (s *Server) Say(session, text string) *Reply {
	s.T.Helper()
	s.Call("POST", "/v1/sessions/"+session+"/messages", map[string]any{"text": text}).Want(202)
	return s.Settle(session)
}

// Settle waits until the session is no longer at work, and gives it.
func (s *Server) Settle(session string) *Reply {
	s.T.Helper()
	return s.await(session, "the session rests or waits", func(r *Reply) bool {
		status := r.Str("status")
		return status != "running" && status != "queued"
	})
}

// messages are the session's, of all pages.
func (s *Server) messages(session string) (all []any) {
	s.T.Helper()
	for after := ""; ; {
		page := s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200"+after, nil).Want(200)
		all = append(all, page.List("data")...)
		if page.At("next_cursor") == nil {
			return all
		}
		after = "&after=" + page.Str("next_cursor")
	}
}

// Record is the session's messages in a word or two each.
func (s *Server) Record(session string) []string {
	s.T.Helper()
	var all []string
	for _, m := range s.messages(session) {
		message := m.(map[string]any)
		word := message["sender"].(string)
		if system, ok := message["system_message"].(map[string]any); ok {
			word = system["type"].(string)
		} else if ai, ok := message["ai_message"].(map[string]any); ok && ai != nil {
			word = "AI"
			if text, _ := ai["pre_text"].(string); text == domain.InvalidFormatText {
				word = "AI?"
			}
		}
		if message["status"] != "stored" {
			word += "(" + message["status"].(string) + ")"
		}
		all = append(all, word)
	}
	return all
}

// LastText is what the AI said last.
func (s *Server) LastText(session string) string {
	s.T.Helper()
	text := ""
	for _, m := range s.messages(session) {
		if ai, ok := m.(map[string]any)["ai_message"].(map[string]any); ok && ai != nil {
			if t, _ := ai["pre_text"].(string); t != "" {
				text = t
			}
		}
	}
	return text
}

// WasCut checks that the session's last AI call was cut, and is recorded as such in its timeline and in the
// usage.
func (s *Server) WasCut(session string) {
	s.T.Helper()
	calls := s.Calls(session)
	if len(calls) == 0 || calls[len(calls)-1]["outcome"] != domain.OutcomeCut || calls[len(calls)-1]["ended_at"] == nil {
		s.T.Errorf("the calls are %v", calls)
		return
	}
	usage := s.Call("GET", "/v1/usage?group_by=session&session_id="+session, nil).Want(200)
	if n, _ := usage.At("data.0.calls").(float64); int(n) != len(calls) || usage.At("data.0.errors") != 0.0 {
		s.T.Errorf("%d calls were made, and the usage is %s", len(calls), usage.Body)
	}
}

// Calls are those of the AI in a session's timeline.
func (s *Server) Calls(session string) []map[string]any {
	s.T.Helper()
	var calls []map[string]any
	for _, line := range s.Call("GET", "/v1/sessions/"+session+"/timeline?limit=200", nil).Want(200).List("data") {
		if call, ok := line.(map[string]any)["roundtrip"].(map[string]any); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// LastError is what the latest NETWORK_ERROR says: its code, its words, what the provider said, and from when it may be
// called again.
func (s *Server) LastError(session string) string {
	s.T.Helper()
	text := ""
	for _, m := range s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).Want(200).List("data") {
		if system, ok := m.(map[string]any)["system_message"].(map[string]any); ok && system["type"] == "NETWORK_ERROR" {
			text = ""
			for _, field := range []string{"code", "summary", "detail", "retry_at"} {
				if said, ok := system[field].(string); ok {
					text += field + "=" + said + "\n"
				}
			}
		}
	}
	return text
}
