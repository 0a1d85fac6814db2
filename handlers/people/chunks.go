package people

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// maxChunk bounds a chunk's own text, in characters: it is sent with every call.
const maxChunk = 20_000

func (s *SettingsHandlers) ListPromptChunks(w http.ResponseWriter, r *http.Request) {
	ws, err := s.Settings.Workspace(r.Context(), edge.Caller(r).Workspace)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	s.WriteJSON(w, r, http.StatusOK, api.ChunksFrom(s.Chunks(), &ws.Settings))
}

// checkChunks refuses names that no chunk has, and texts that are empty or too long.
func (s *SettingsHandlers) checkChunks(patch map[string]nullable.Nullable[api.ChunkPatch]) error {
	known := s.Chunks()
	var mistakes jsonbody.Mistakes
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		at := "/prompt_chunks/" + jsonbody.Part(name)
		if !slices.ContainsFunc(known, func(c domain.Chunk) bool { return c.Name == name }) && !patch[name].IsNull() {
			shown := shorten.Characters(name, jsonbody.MaxShownName)
			mistakes.AddAt(at, "unknown", fmt.Sprintf("There is no chunk %q. GET /v1/prompt-chunks lists them.", shown))
			continue
		}
		text, given := patch[name][true].Text[true]
		if given && (strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxChunk) {
			message := fmt.Sprintf("A chunk has 1 to %d characters. To leave one out, set enabled to false.", maxChunk)
			mistakes.AddAt(at+"/text", "wrong_length", message)
		}
	}
	return edge.Invalid(&mistakes)
}
