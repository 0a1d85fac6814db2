package api

import "github.com/fermata-dev/fermata/domain"

// ChunksFrom lists the chunks of level 1 as a workspace with these settings has them.
func ChunksFrom(chunks []domain.Chunk, settings *domain.Settings) *PromptChunkList {
	out := &PromptChunkList{Data: make([]PromptChunk, 0, len(chunks))}
	for i := range chunks {
		c := &chunks[i]
		text, included := settings.ChunkText(c)
		mapped := PromptChunk{
			Name: c.Name, Importance: c.Importance, SessionTypes: []string{}, Protocols: []string{},
			Text: text, BuiltIn: c.Text, Included: included,
		}
		for _, t := range c.Types {
			mapped.SessionTypes = append(mapped.SessionTypes, string(t))
		}
		for _, p := range c.Protocols {
			mapped.Protocols = append(mapped.Protocols, string(p))
		}
		out.Data = append(out.Data, mapped)
	}
	return out
}
