package openai

import (
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// bridging separates two messages for vendors that require an answer in between.
const bridging = `,{"role":"assistant","content":"OK."}`

func shows(t *ai.Turn) bool {
	return slices.ContainsFunc(t.Blocks, func(b ai.Block) bool { return b.Kind == ai.BlockPicture })
}

// parts writes a user message with pictures: its content is a list then.
func parts(b []byte, t *ai.Turn) []byte {
	b = append(b, `{"role":"user","content":[`...)
	first := true
	comma := func() {
		if !first {
			b = append(b, ',')
		}
		first = false
	}
	for i := range t.Blocks {
		switch block := &t.Blocks[i]; block.Kind {
		case ai.BlockText:
			comma()
			b = textPart(b, block.Text)
		case ai.BlockPicture:
			comma()
			b = append(textPart(b, block.Text), `,{"type":"image_url","image_url":{"url":"data:`...)
			b = append(append(b, block.File.MediaType...), ";base64,"...)
			// AppendBase64 writes a JSON string; its opening quote is dropped because the address has one already.
			start := len(b)
			b = providers.AppendBase64(b, block.Data)
			b = append(append(b[:start], b[start+1:]...), "}}"...)
		}
	}
	return append(b, "]}"...)
}

func textPart(b []byte, text string) []byte {
	return append(providers.AppendString(append(b, `{"type":"text","text":`...), text), '}')
}

// seeing are pieces of the names of models that take pictures, blind of those of the same
// families that do not.
var (
	seeing = []string{
		"gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-4-turbo", "gpt-4-vision", "gpt-5", "gpt-6", "o1", "o3", "o4", "vision", "-vl", "llava",
		"pixtral",
		"gemma3", "gemma-3", "llama-4", "llama4", "mistral-medium", "mistral-small", "claude", "gemini", "minicpm-v", "moondream",
	}
	blind = []string{"o1-mini", "o1-preview", "o3-mini", "gpt-4o-audio", "embedding", "whisper", "tts"}
)

// sees says by the name of a model whether it takes pictures. Of one that is not known, the
// config says so.
func sees(model string) bool {
	in := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			if len(name) == 2 { // o1 and its like are the beginning of a name, not any two letters
				return strings.HasPrefix(model, name) || strings.Contains(model, "/"+name)
			}
			return strings.Contains(model, name)
		})
	}
	return in(seeing) && !in(blind)
}
