package api

import "github.com/fermata-dev/fermata/domain/userdata"

// SearchHitFrom is a thing that was found as clients see it.
func SearchHitFrom(h *userdata.SearchHit) *SearchHit {
	out := &SearchHit{
		Kind: h.Kind, ID: h.ID, ToolID: textPtr(h.ToolID), ToolName: textPtr(h.ToolName),
		ZoneID: textPtr(h.ZoneID), ZoneName: textPtr(h.ZoneName),
		Key: textPtr(h.Key), Title: textPtr(h.Title), Draft: h.Draft, Timestamp: Time(h.Timestamp), Snippet: h.Snippet,
		Marks: make([]SearchMark, 0, len(h.Marks)), Matches: append([]string{}, h.Matches...),
	}
	for _, m := range h.Marks {
		out.Marks = append(out.Marks, SearchMark{Start: m.Start, End: m.End})
	}
	return out
}
