package api

import "encoding/json"

// FirstMessage is the message of a new session: a text, or what sendMessage takes.
type FirstMessage MessageContent

// UnmarshalJSON reads either form.
func (m *FirstMessage) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &m.Text)
	}
	return json.Unmarshal(b, (*MessageContent)(m))
}
