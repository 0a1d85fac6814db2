package demo

import (
	"encoding/json"
	"sort"
	"strings"
)

// record is a zone, a tool or an entry in a result.
type record struct {
	id, name, toolType, zone string
	key                      string // of a document
	data                     map[string]any
	fields                   map[string]any
}

// found are the records of a result, in their order.
type found struct {
	zones, tools, entries []record
	types, documents      []record         // tool types by their id, documents by their key
	hits                  []map[string]any // of a search
	stats                 map[string]any   // the first object that counts something
	groups                []map[string]any // the same by day, week or month
}

// maxAttempts bounds how many brackets are tried that turn out to open no JSON.
const maxAttempts = 100

// look reads a result: words, with JSON values between them. It goes by the prefixes
// of ids and not by the place of things.
func look(text string) found {
	var f found
	for failed := 0; failed < maxAttempts; {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			break
		}
		text = text[at:]
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if decoder.Decode(&value) != nil {
			text = text[1:]
			failed++
			continue
		}
		f.walk(value, "")
		text = text[decoder.InputOffset():]
	}
	return f
}

func (f *found) walk(value any, zone string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			f.walk(item, zone)
		}
	case map[string]any:
		r := recordOf(v, zone)
		_, hit := v["snippet"]
		_, schema := v["schema"]
		switch {
		case hit:
			f.hits = append(f.hits, v)
			return
		case schema && r.toolType != "":
			r.id = r.toolType
			f.types = append(f.types, r)
			return
		case r.id == "" && r.key != "":
			f.documents = append(f.documents, r)
			return
		case strings.HasPrefix(r.id, "zon_"):
			f.zones = append(f.zones, r)
			zone = r.id
		case strings.HasPrefix(r.id, "tol_"):
			f.tools = append(f.tools, r)
		case strings.HasPrefix(r.id, "ent_"):
			f.entries = append(f.entries, r)
			return // what is inside is the person's
		}
		if _, counts := v["count"]; counts {
			_, grouped := v["bucket"]
			switch {
			case grouped:
				f.groups = append(f.groups, v)
			case f.stats == nil:
				f.stats = v
			}
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			f.walk(v[k], zone)
		}
	}
}

func recordOf(v map[string]any, zone string) record {
	text := func(name string) string { s, _ := v[name].(string); return s }
	r := record{id: text("id"), name: text("name"), toolType: text("tool_type"), zone: text("zone_id"), key: text("key"), fields: v}
	if r.name == "" {
		r.name = text("title")
	}
	if r.zone == "" {
		r.zone = zone
	}
	r.data, _ = v["data"].(map[string]any)
	return r
}
