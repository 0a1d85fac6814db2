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
// After "for" stand the session types and protocols that it is for; none of a sort means
// all of that sort. Its name is the file's without number and ending.
type chunk = domain.Chunk

// chunks in the order of their files' numbers.
var chunks = mustReadChunks(chunkFiles)

// Chunks lists what a workspace can replace or switch off, in its order in level 1. The
// list must not be changed.
func Chunks() []domain.Chunk { return chunks }

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
	c := chunk{Name: name, Text: strings.TrimSpace(text)}
	importance, who, _ := strings.Cut(front, "; for:")
	if _, err := fmt.Sscanf(importance, "importance: %d", &c.Importance); err != nil || c.Importance < 1 || c.Importance > 3 {
		return chunk{}, fmt.Errorf("prompt: %s: the front line %q gives no importance from 1 to 3", path, front)
	}
	for _, word := range strings.FieldsFunc(who, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch word {
		case string(domain.Chat), string(domain.Run), string(domain.Agent):
			c.Types = append(c.Types, domain.SessionType(word))
		case string(domain.ProtocolNative), string(domain.ProtocolJSON):
			c.Protocols = append(c.Protocols, domain.Protocol(word))
		default:
			return chunk{}, fmt.Errorf("prompt: %s: the front line is for %q, which is neither a session type nor a protocol", path, word)
		}
	}
	return c, nil
}
