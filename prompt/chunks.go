package prompt

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

//go:embed chunks/*.md
var chunkFiles embed.FS

// chunk is a named part of level 1. Its file begins with a front line:
//
//	importance: 2; for: CHAT, json
//
// importance is 1 (always), 2 (normal and full) or 3 (full only). After "for" stand the
// session types and protocols that it is for; none of a sort means all of that sort.
type chunk struct {
	name       string // the file's name without number and ending
	importance int
	types      []domain.SessionType
	protocols  []domain.Protocol
	text       string
}

// chunks in the order of their files' numbers.
var chunks = mustReadChunks(chunkFiles)

// ChunkNames lists the chunks that a workspace can replace or switch off.
func ChunkNames() []string {
	names := make([]string, len(chunks))
	for i := range chunks {
		names[i] = chunks[i].name
	}
	return names
}

// mustReadChunks reads files that are part of the program: a wrong one is a mistake of
// ours, found by the first test that runs.
func mustReadChunks(files fs.FS) []chunk {
	paths, err := fs.Glob(files, "chunks/*.md")
	if err != nil || len(paths) == 0 {
		panic(fmt.Sprintf("prompt: no chunks: %v", err))
	}
	var all []chunk
	for _, path := range paths {
		content, err := fs.ReadFile(files, path)
		if err != nil {
			panic(err)
		}
		c, err := readChunk(path, string(content))
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	return all
}

func readChunk(path, content string) (chunk, error) {
	base := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
	_, name, numbered := strings.Cut(base, "-")
	front, text, hasText := strings.Cut(content, "\n")
	if !numbered || !hasText {
		return chunk{}, fmt.Errorf("prompt: %s: want a file 10-name.md with a front line and a text", path)
	}
	c := chunk{name: name, text: strings.TrimSpace(text)}
	importance, who, _ := strings.Cut(front, "; for:")
	if _, err := fmt.Sscanf(importance, "importance: %d", &c.importance); err != nil || c.importance < 1 || c.importance > 3 {
		return chunk{}, fmt.Errorf("prompt: %s: the front line %q gives no importance from 1 to 3", path, front)
	}
	for _, word := range strings.FieldsFunc(who, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch word {
		case string(domain.Chat), string(domain.Automation), string(domain.Agent):
			c.types = append(c.types, domain.SessionType(word))
		case string(domain.ProtocolNative), string(domain.ProtocolJSON):
			c.protocols = append(c.protocols, domain.Protocol(word))
		default:
			return chunk{}, fmt.Errorf("prompt: %s: the front line is for %q, which is neither a session type nor a protocol", path, word)
		}
	}
	return c, nil
}
