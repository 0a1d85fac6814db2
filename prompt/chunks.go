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

// chunk is a named part of level 1. Its file begins with a header line:
//
// importance: 2; for: CHAT, json
//
// "for" lists session types and protocols; if none of a sort is listed, it applies to all of them.
// Its name is the file name without number and extension.
type chunk = domain.Chunk

// chunks are sorted by the numbers of their files.
var chunks = mustReadChunks(chunkFiles)

// Chunks lists the parts that a workspace can replace or disable, in their order in level 1. The
// list must not be modified.
func Chunks() []domain.Chunk { return chunks }

// mustReadChunks reads the embedded files. It panics on an invalid one, which any test detects.
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
