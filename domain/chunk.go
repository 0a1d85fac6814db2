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

// ChunkChange is a workspace's change of a chunk; nil fields keep the default. A chunk that is enabled or
// has its own text is always included.
type ChunkChange struct {
	Enabled *bool   `json:"enabled,omitempty"`
	Text    *string `json:"text,omitempty"`
}

// ChunkText is the text of a chunk under these settings; false if it is left out.
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
