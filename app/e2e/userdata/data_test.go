package userdata

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

// made makes something and gives its id.
func (s *server) made(path, body string) string {
	s.T.Helper()
	return s.Call("POST", path, body).Want(201).Str("id")
}

// TestADeletionIsUndone: what was deleted together with a zone is restored with it, what was deleted before
// stays deleted, and all listeners are notified.
func TestADeletionIsUndone(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.made("/v1/zones", `{"name":"Health"}`)
		weight := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
		sleep := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Sleep"}`)
		kept := s.made("/v1/tools/"+weight+"/entries", `{"data":{"value":72}}`)
		gone := s.made("/v1/tools/"+weight+"/entries", `{"data":{"value":71}}`)
		s.Call("DELETE", "/v1/entries/"+gone, nil).Want(204)
		s.Call("DELETE", "/v1/tools/"+sleep, nil).Want(204)
		s.Call("DELETE", "/v1/zones/"+zone+"?force=true", nil).Want(204)
		s.Call("POST", "/v1/tools/"+sleep+"/restore", nil).Problem(409, "parent_deleted")
		s.Call("POST", "/v1/entries/"+kept+"/restore", nil).Problem(409, "parent_deleted")
		s.Call("POST", "/v1/zones/zon_none/restore", nil).Problem(404, "not_found")
		s.Call("POST", "/v1/zones/"+zone+"/restore", nil, "Fermata-Workspace", "other").Want(404)

		back := s.Call("POST", "/v1/zones/"+zone+"/restore", nil).Want(200)
		if back.Header.Get("ETag") != `"3"` || back.Str("name") != "Health" {
			t.Errorf("ETag %s: %s", back.Header.Get("ETag"), back.Body)
		}
		s.Call("GET", "/v1/entries/"+kept, nil).Want(200)
		s.Call("GET", "/v1/entries/"+gone, nil).Want(404)
		s.Call("GET", "/v1/tools/"+sleep, nil).Want(404)
		log := s.Call("GET", "/v1/events?types=data.changed&after="+seqBefore(back), nil).Want(200)
		if log.Str("data.0.data.operation") != "restored" || log.Str("data.0.data.id") != zone {
			t.Errorf("the log is %s", log.Body)
		}
		s.Call("POST", "/v1/entries/"+gone+"/restore", nil).Want(200)
		s.Call("POST", "/v1/tools/"+sleep+"/restore", nil).Want(200)
		again := s.Call("POST", "/v1/tools/"+sleep+"/restore", nil).Want(200)
		if again.Header.Get("ETag") != `"3"` {
			t.Errorf("an undo of what is there made the version %s", again.Header.Get("ETag"))
		}
	})
}

func seqBefore(r *harness.Reply) string {
	var seq int64
	fmt.Sscan(r.Header.Get("Fermata-Event-Seq"), &seq)
	return fmt.Sprint(seq - 1)
}

// TestADeletionIsForGoodAfterThirtyDays: first the undo is refused, then the rows leave.
func TestADeletionIsForGoodAfterThirtyDays(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		zone := s.made("/v1/zones", `{"name":"Health"}`)
		doc := s.made("/v1/documents", `{"key":"about","body":"I run."}`)
		long := time.Now().Add(-31 * 24 * time.Hour)
		_, err := s.Parts.Store.WriteData(t.Context(), "default", func(ctx context.Context, d *repository.Data) ([]domain.DataChange, error) {
			if err := d.DeleteDocument(ctx, doc, long); err != nil {
				return nil, err
			}
			return nil, d.DeleteZone(ctx, zone, long)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Call("POST", "/v1/zones/"+zone+"/restore", nil).Problem(409, "restore_expired")
		s.Call("POST", "/v1/documents/"+doc+"/restore", nil).Problem(409, "restore_expired")
		if err := s.Parts.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Call("POST", "/v1/zones/"+zone+"/restore", nil).Problem(404, "not_found")
		s.Call("POST", "/v1/documents/"+doc+"/restore", nil).Problem(404, "not_found")
	})
}

// TestAToolTypeChanges: its schemas may change as long as all that is stored fits them.
func TestAToolTypeChanges(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("POST", "/v1/tool-types", `{"id":"mood","name":"Mood","config_schema":{"type":"object"},
			"entry_schema":{"type":"object","properties":{"value":{"type":"integer"}}}}`).Want(201)
		zone := s.made("/v1/zones", `{"name":"Mind"}`)
		tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"mood","name":"Mood","config":{"scale":5}}`)
		other := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"mood","name":"Other"}`)
		first := s.made("/v1/tools/"+tool+"/entries", `{"data":{"value":7}}`)
		s.made("/v1/tools/"+tool+"/entries", `{"data":{"value":3}}`)

		tag := s.Call("GET", "/v1/tool-types/mood", nil).Want(200).Header.Get("ETag")
		five := `{"type":"object","properties":{"value":{"type":"integer","maximum":5}}}`
		misfit := s.Call("PATCH", "/v1/tool-types/mood", `{"entry_schema":`+five+`}`).Problem(409, "tool_type_misfit")
		if detail := misfit.Str("detail"); !strings.HasPrefix(detail, "0 configs and 1 entry") || !strings.Contains(misfit.Str("errors.0.message"), first) {
			t.Errorf("the misfit says: %s", misfit.Body)
		}
		scaled := `{"type":"object","required":["scale"],"properties":{"scale":{"type":"integer"}}}`
		misfit = s.Call("PATCH", "/v1/tool-types/mood", `{"name":"Humeur","config_schema":`+scaled+`,"entry_schema":`+five+`}`).Problem(409, "tool_type_misfit")
		if detail := misfit.Str("detail"); !strings.HasPrefix(detail, "1 config and 1 entry") {
			t.Errorf("the misfit says: %s", misfit.Body)
		}
		if now := s.Call("GET", "/v1/tool-types/mood", nil); now.Str("name") != "Mood" || now.Header.Get("ETag") != tag {
			t.Errorf("a refused change left %s", now.Body)
		}

		s.Call("DELETE", "/v1/entries/"+first, nil).Want(204)
		s.Call("DELETE", "/v1/tools/"+other, nil).Want(204)
		changed := s.Call("PATCH", "/v1/tool-types/mood", `{"config_schema":`+scaled+`,"entry_schema":`+five+`}`, "If-Match", tag).Want(200)
		s.Call("PATCH", "/v1/tool-types/mood", `{"name":"X"}`, "If-Match", tag).Problem(412, "precondition_failed")
		s.Call("PATCH", "/v1/tool-types/mood", `{"description":null}`, "If-Match", changed.Header.Get("ETag")).Want(200)
		wrong := s.Call("POST", "/v1/tools/"+tool+"/entries", `{"data":{"value":7}}`).Problem(422, "invalid")
		if wrong.Str("errors.0.pointer") != "/data/value" {
			t.Errorf("the new schema says: %s", wrong.Body)
		}
		// What was deleted under the old schemas cannot come back under the new ones.
		s.Call("POST", "/v1/entries/"+first+"/restore", nil).Problem(409, "tool_type_misfit")
		s.Call("POST", "/v1/tools/"+other+"/restore", nil).Problem(409, "tool_type_misfit")
		s.Call("GET", "/v1/tools/"+other, nil).Want(404)

		s.Call("DELETE", "/v1/tool-types/mood", nil).Problem(409, "tool_type_in_use")
		s.Call("DELETE", "/v1/tools/"+tool+"?force=true", nil).Want(204)
		s.Call("DELETE", "/v1/tool-types/mood", nil, "If-Match", `"1"`).Problem(412, "precondition_failed")
		s.Call("DELETE", "/v1/tool-types/mood", nil).Want(204)
		s.Call("POST", "/v1/tools/"+tool+"/restore", nil).Problem(409, "tool_type_misfit")
		for _, builtIn := range []string{"tracking", "goal"} {
			s.Call("PATCH", "/v1/tool-types/"+builtIn, `{"name":"X"}`).Problem(403, "forbidden")
			s.Call("DELETE", "/v1/tool-types/"+builtIn, nil).Problem(403, "forbidden")
		}
		s.Call("PATCH", "/v1/tool-types/none", `{"name":"X"}`).Problem(404, "not_found")
	})
}

// badSchemas are schemas that must not be stored, and what the refusal points at.
func badSchemas() map[string]string {
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, `"p%d":{"type":"string"},`, i)
	}
	doubling := `"a0":{"type":"string"}`
	for i := range 30 {
		doubling += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	return map[string]string{
		"itself":            `{"type":"object","$ref":"#"}`,
		"itself, deeper":    `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
		"a file":            `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"another host":      `{"type":"object","properties":{"a":{"$ref":"http://other.host/x"}}}`,
		"a pattern":         `{"type":"object","properties":{"a":{"type":"string","pattern":"(a{1000}){1000}"}}}`,
		"no pattern":        `{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`,
		"look-behind":       `{"type":"object","properties":{"a":{"type":"string","pattern":"(?<=a)b"}}}`,
		"many properties":   `{"type":"object","properties":{` + many.String() + `"last":{}}}`,
		"doubling":          `{"type":"object","$defs":{` + doubling + `},"properties":{"a":{"$ref":"#/$defs/a30"}}}`,
		"deep":              strings.Repeat(`{"type":"object","properties":{"a":`, 29) + `{"not":{"not":{"not":{"not":{"not":{"not":{"not":{"not":{}}}}}}}}}` + strings.Repeat("}}", 29),
		"large":             `{"type":"object","description":"` + strings.Repeat("x", 900_000) + `"}`,
		"no object":         `{"type":"array"}`,
		"a new base":        `{"type":"object","$id":"http://other.host/"}`,
		"no type there is":  `{"type":"object","properties":{"a":{"type":"text"}}}`,
		"another metaworld": `{"$schema":"http://other.host/meta","type":"object"}`,
	}
}

// TestSchemasThatNobodyMayStore: by the API and by the AI's command, a bad schema is a
// clear refusal that points at it, nothing is stored, and it takes no time.
func TestSchemasThatNobodyMayStore(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Call("POST", "/v1/tool-types", `{"id":"good","name":"Good","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`).Want(201)
	before := string(s.Call("GET", "/v1/tool-types", nil).Want(200).Body)
	for about, schema := range badSchemas() {
		for _, field := range []string{"config_schema", "entry_schema"} {
			started := time.Now()
			body := map[string]any{"id": "bad", "name": "Bad", "config_schema": json.RawMessage(`{"type":"object"}`), "entry_schema": json.RawMessage(`{"type":"object"}`)}
			body[field] = json.RawMessage(schema)
			for _, r := range []*harness.Reply{
				s.Call("POST", "/v1/tool-types", body),
				s.Call("PATCH", "/v1/tool-types/good", map[string]any{field: json.RawMessage(schema)}),
			} {
				// What is nested beyond all measure is not read at all.
				if about == "deep" && r.Status == 400 && r.Str("code") == "too_deep" {
					continue
				}
				r.Problem(422, "invalid")
				if !strings.HasPrefix(r.Str("errors.0.pointer"), "/"+field) || len(r.Body) > 3000 {
					t.Errorf("%s: %.600s", about, r.Body)
				}
			}
			if took := time.Since(started); took > 10*time.Second {
				t.Errorf("%s took %s", about, took)
			}
		}
	}
	if after := string(s.Call("GET", "/v1/tool-types", nil).Want(200).Body); after != before {
		t.Errorf("the refused schemas left %s", after)
	}
}

// TestNobodyOverwritesAnother: an edit of an outdated version is rejected, for every kind of object and
// operation; without If-Match the last one wins.
func TestNobodyOverwritesAnother(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.Call("POST", "/v1/tool-types", `{"id":"mood","name":"Mood","config_schema":{"type":"object"},"entry_schema":{"type":"object"}}`).Want(201)
		zone := s.made("/v1/zones", `{"name":"Health"}`)
		tool := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"tracking","name":"Weight"}`)
		entry := s.made("/v1/tools/"+tool+"/entries", `{"data":{"value":72}}`)
		doc := s.made("/v1/documents", `{"key":"about","body":"I run."}`)
		s.Call("POST", "/v1/documents/"+doc+"/publish", nil, "If-Match", `"7"`).Problem(412, "precondition_failed")
		for _, edited := range []struct{ path, first, second string }{
			{"/v1/entries/" + entry, `{"data":{"value":73}}`, `{"data":{"value":74}}`},
			{"/v1/tools/" + tool, `{"name":"Mass"}`, `{"config":{"unit":"kg"}}`},
			{"/v1/zones/" + zone, `{"name":"Body"}`, `{"colour":"teal"}`},
			{"/v1/documents/" + doc, `{"body":"I swim."}`, `{"title":"Me"}`},
			{"/v1/tool-types/mood", `{"name":"Humeur"}`, `{"description":"How I feel"}`},
		} {
			tag := s.Call("GET", edited.path, nil).Want(200).Header.Get("ETag")
			changed := s.Call("PATCH", edited.path, edited.first, "If-Match", tag).Want(200)
			if now := changed.Header.Get("ETag"); now == tag || now == "" {
				t.Errorf("%s: the ETag %s became %s", edited.path, tag, now)
			}
			s.Call("PATCH", edited.path, edited.second, "If-Match", tag).Problem(412, "precondition_failed")
			s.Call("PATCH", edited.path, edited.second, "If-Match", `"garbage"`).Problem(412, "precondition_failed")
			gone := edited.path
			if edited.path == "/v1/zones/"+zone || edited.path == "/v1/tools/"+tool { // what may hold something takes force
				gone += "?force=true"
			}
			s.Call("DELETE", gone, nil, "If-Match", tag).Problem(412, "precondition_failed")
			if now := s.Call("GET", edited.path, nil).Want(200); now.Header.Get("ETag") != changed.Header.Get("ETag") {
				t.Errorf("%s: a refused change left %s", edited.path, now.Body)
			}
			last := s.Call("PATCH", edited.path, edited.second).Want(200).Header.Get("ETag")
			s.Call("DELETE", gone, nil, "If-Match", last).Want(204)
		}
	})
}

// TestPublishedVersionsStay: sessions read the latest, people all of them.
func TestPublishedVersionsStay(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		doc := s.made("/v1/documents", `{"key":"about","title":"About","body":"I run."}`)
		if n := len(s.Call("GET", "/v1/documents/"+doc+"/versions", nil).Want(200).List("data")); n != 0 {
			t.Errorf("a draft has %d versions", n)
		}
		s.Call("POST", "/v1/documents/"+doc+"/publish", nil).Want(200)
		s.Call("PATCH", "/v1/documents/"+doc, `{"body":"I swim."}`).Want(200)
		s.Call("POST", "/v1/documents/"+doc+"/publish", nil).Want(200)
		s.Call("PATCH", "/v1/documents/"+doc, `{"body":"A draft."}`).Want(200)
		list := s.Call("GET", "/v1/documents/"+doc+"/versions?limit=1", nil).Want(200)
		rest := s.Call("GET", "/v1/documents/"+doc+"/versions?after="+list.Str("next_cursor"), nil).Want(200)
		if len(rest.List("data")) != 1 || rest.At("next_cursor") != nil || list.At("data.0.body") != nil {
			t.Errorf("%s\n%s", list.Body, rest.Body)
		}
		for _, v := range []struct {
			number any
			body   string
		}{{list.At("data.0.version"), "I swim."}, {rest.At("data.0.version"), "I run."}} {
			one := s.Call("GET", fmt.Sprintf("/v1/documents/%s/versions/%v", doc, v.number), nil).Want(200)
			if one.Str("body") != v.body || one.Str("title") != "About" {
				t.Errorf("version %v: %s", v.number, one.Body)
			}
		}
		s.Call("GET", "/v1/documents/"+doc+"/versions/1", nil).Problem(404, "not_found") // a draft
		s.Call("GET", "/v1/documents/doc_none/versions", nil).Problem(404, "not_found")
		s.Call("DELETE", "/v1/documents/"+doc, nil).Want(204)
		s.Call("GET", "/v1/documents/"+doc+"/versions", nil).Problem(404, "not_found")
		s.Call("POST", "/v1/documents/"+doc+"/restore", nil).Want(200)
		if n := len(s.Call("GET", "/v1/documents/"+doc+"/versions", nil).Want(200).List("data")); n != 2 {
			t.Errorf("after the undo there are %d versions", n)
		}
	})
}

// TestListsAreReadThroughWhileTheyChange: a page's cursor stays valid when its item is deleted.
func TestListsAreReadThroughWhileTheyChange(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	zone := s.made("/v1/zones", `{"name":"A"}`)
	second := s.made("/v1/zones", `{"name":"B"}`)
	s.made("/v1/zones", `{"name":"C"}`)
	first := s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"journal","name":"A"}`)
	s.made("/v1/tools", `{"zone_id":"`+zone+`","tool_type":"journal","name":"B"}`)
	about := s.made("/v1/documents", `{"key":"a","body":"x"}`)
	s.made("/v1/documents", `{"key":"b","body":"x"}`)
	for _, list := range []struct {
		path, gone, next string
		limit            int
	}{{"/v1/zones", "/v1/zones/" + second, "C", 2}, {"/v1/tools", "/v1/tools/" + first, "B", 1}, {"/v1/documents", "/v1/documents/" + about, "b", 1}} {
		page := s.Call("GET", fmt.Sprintf("%s?limit=%d", list.path, list.limit), nil).Want(200)
		s.Call("DELETE", list.gone, nil).Want(204)
		rest := s.Call("GET", list.path+"?after="+page.Str("next_cursor"), nil).Want(200)
		if got := rest.Str("data.0.name") + rest.Str("data.0.key"); got != list.next || len(rest.List("data")) != 1 {
			t.Errorf("%s: %s", list.path, rest.Body)
		}
		s.Call("GET", list.path+"?after=garbage", nil).Problem(422, "invalid")
	}
}
