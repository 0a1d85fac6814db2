package domain

// Chunk is a named part of level 1 of the prompt. Importance is 1 (always in), 2 (with
// prompt_detail normal and full) or 3 (full only). No types or protocols: all of them.
type Chunk struct {
	Name       string
	Importance int
	Types      []SessionType
	Protocols  []Protocol
	Text       string
}

// ChunkChange is what a workspace changes of a chunk. Nil: as it is. A chunk that is
// enabled, or has a text of its own, is in whatever its importance.
type ChunkChange struct {
	Enabled *bool   `json:"enabled,omitempty"`
	Text    *string `json:"text,omitempty"`
}

// ChunkText is what a chunk says in a workspace with these settings; false: it is not in.
func (s *Settings) ChunkText(c *Chunk) (string, bool) {
	detail := map[string]int{"minimal": 1, "full": 3}[s.PromptDetail]
	if detail == 0 {
		detail = 2
	}
	change := s.PromptChunks[c.Name]
	text, in := c.Text, c.Importance <= detail
	if change.Text != nil {
		text, in = *change.Text, true
	}
	if change.Enabled != nil {
		in = *change.Enabled
	}
	return text, in
}
