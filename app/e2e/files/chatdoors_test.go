package files

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
)

// chatDoor is how a client of one protocol sends words, a picture and a text, in requests that
// hold what was said before: answered, if any, is the answer to the first.
type chatDoor struct {
	path string
	body func(words string, picture, text []byte, answered, next string) map[string]any
}

func dataURL(kind string, content []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content)
}

type object = map[string]any

var chatDoors = map[string]chatDoor{
	"chat completions": {"/v1/chat/completions", func(words string, picture, text []byte, answered, next string) object {
		said := []any{object{"role": "user", "content": []any{
			object{"type": "text", "text": words}, object{"type": "image_url", "image_url": object{"url": dataURL("image/png", picture)}},
			object{"type": "file", "file": object{"filename": "list.csv", "file_data": base64.StdEncoding.EncodeToString(text)}},
		}}}
		if next != "" {
			said = append(said, object{"role": "assistant", "content": answered}, object{"role": "user", "content": next})
		}
		return object{"model": "fermata", "messages": said}
	}},
	"responses": {"/v1/responses", func(words string, picture, text []byte, answered, next string) object {
		said := []any{object{"role": "user", "content": []any{
			object{"type": "input_text", "text": words}, object{"type": "input_image", "detail": "auto", "image_url": dataURL("image/png", picture)},
			object{"type": "input_file", "filename": "list.csv", "file_data": dataURL("text/csv", text)},
		}}}
		if next != "" {
			said = append(said, object{"role": "assistant", "content": answered}, object{"role": "user", "content": next})
		}
		return object{"model": "fermata", "input": said}
	}},
	"AG-UI": {"/v1/agui", func(words string, picture, text []byte, answered, next string) object {
		said := []any{object{"id": "1", "role": "user", "content": []any{
			object{"type": "text", "text": words},
			object{"type": "image", "source": object{"type": "data", "value": base64.StdEncoding.EncodeToString(picture), "mimeType": "image/png"}},
			object{"type": "binary", "mimeType": "text/csv", "filename": "list.csv", "data": base64.StdEncoding.EncodeToString(text)},
		}}}
		if next != "" {
			said = append(said, object{"id": "2", "role": "assistant", "content": answered}, object{"id": "3", "role": "user", "content": next})
		}
		return object{"threadId": "a talk", "runId": "r", "messages": said}
	}},
	"UI message stream": {"/v1/ui/chat", func(words string, picture, text []byte, answered, next string) object {
		said := []any{object{"id": "1", "role": "user", "parts": []any{
			object{"type": "text", "text": words}, object{"type": "file", "mediaType": "image/png", "url": dataURL("image/png", picture)},
			object{"type": "file", "mediaType": "text/csv", "filename": "list.csv", "url": dataURL("text/csv", text)},
		}}}
		if next != "" {
			said = append(said, object{"id": "2", "role": "assistant", "parts": []any{object{"type": "text", "text": answered}}},
				object{"id": "3", "role": "user", "parts": []any{object{"type": "text", "text": next}}})
		}
		return object{"id": "a talk", "messages": said}
	}},
}

// seeing makes the vendor's model one that sees.
func seeing(t *testing.T, s *harness.Server, v *vendor) {
	t.Helper()
	config := openai.Compatible().Config(v.url, domain.ProtocolNative)
	maps.Copy(config, object{"images": true})
	s.Call("POST", "/v1/providers", object{"name": "vendor", "kind": "openai_compatible", "is_default": true, "config": config}).Want(201)
}

// doorReply is an answer of a door, which the contract does not describe.
type doorReply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

func (r doorReply) want(status int) doorReply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("it answers %d, want %d: %.500s", r.status, status, r.body)
	}
	return r
}

func post(s *harness.Server, path string, body any, headers ...string) doorReply {
	s.T.Helper()
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		if err != nil {
			s.T.Fatal(err)
		}
		text = string(encoded)
	}
	request, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+path, strings.NewReader(text))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return doorReply{s.T, response.StatusCode, response.Header, read}
}

func sessions(s *harness.Server) []any {
	return s.Call("GET", "/v1/sessions", nil).Want(200).List("data")
}
func kept(s *harness.Server) []any { return s.Call("GET", "/v1/files", nil).Want(200).List("data") }

// A picture and a text that a chat client sends within its message are in the prompt, and in the
// record as any other files are. The same request again stores nothing, and what is sent again as
// history is known.
func TestFilesThroughChatDoors(t *testing.T) {
	for name, door := range chatDoors {
		t.Run(name, func(t *testing.T) {
			harness.OnBoth(t, func(t *testing.T, db app.Database) {
				s, v := harness.NewServer(t, db), newVendor(t)
				seeing(t, s, v)
				picture, text := drawn(t, 60, 40), []byte("milk;3\nbread;1\n")
				first := door.body("What is it?", picture, text, "", "")
				post(s, door.path, first).want(200)
				if len(kept(s)) != 2 || len(sessions(s)) != 1 {
					t.Fatalf("there are %d files and %d sessions", len(kept(s)), len(sessions(s)))
				}
				chat := sessions(s)[0].(object)["id"].(string)
				record := s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200)
				said := "data.0.rich_content.segments."
				if record.Str(said+"0.text") != "What is it?" || record.Str(said+"1.file.name") != "image.png" || record.Str(said+"2.file.name") != "list.csv" {
					t.Errorf("the record is %s", record.Body)
				}
				shown := base64.StdEncoding.EncodeToString(s.Call("GET", "/v1/files/"+record.Str(said+"1.file.id"), nil).Want(200).Body)
				for _, want := range []string{"What is it?", shown, "milk;3", `type=\"OUTSIDE\"`} {
					if !strings.Contains(v.last(t), want) {
						t.Errorf("the prompt does not have %.40q: %.3000s", want, v.last(t))
					}
				}
				post(s, door.path, first).want(200)
				post(s, door.path, door.body("What is it?", picture, text, "Seen.", "And now?")).want(200)
				post(s, door.path, door.body("What is it?", picture, text, "Seen.", "And now?")).want(200)
				if got := s.Record(chat); strings.Join(got, " ") != "USER AI USER AI" || len(sessions(s)) != 1 || len(kept(s)) != 2 || len(v.bodies) != 2 {
					t.Errorf("the record is %v, of %d sessions, with %d files, after %d calls", got, len(sessions(s)), len(kept(s)), len(v.bodies))
				}
				if last := v.last(t); strings.Contains(last, shown) || !strings.Contains(last, "earlier round") || !strings.Contains(last, "milk;3") {
					t.Errorf("the later prompt is %.3000s", last)
				}
				s.Sound()
			})
		})
	}
}

// A history with another picture is another history. What it begins takes over the files, and
// those that are there are not stored again; words from outside still cannot act there.
func TestAHistoryWithFilesThatDeparts(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, v := harness.NewServer(t, db), newVendor(t)
		seeing(t, s, v)
		door, text := chatDoors["chat completions"], []byte("milk;3\n")
		send := func(picture []byte, next string) string {
			t.Helper()
			reply := post(s, door.path, door.body("What is it?", picture, text, "Seen.", next)).want(200)
			return reply.header.Get("X-Fermata-Session")
		}
		one, other := drawn(t, 60, 40), drawn(t, 61, 40)
		post(s, door.path, door.body("What is it?", one, text, "", "")).want(200)
		session := send(one, "And now?")
		edited := send(one, "And then?")
		if edited == session || len(kept(s)) != 2 {
			t.Errorf("an edited message leads to %s, from %s, with %d files", edited, session, len(kept(s)))
		}
		if last := v.last(t); !strings.Contains(last, "milk;3") || !strings.Contains(last, "And then?") {
			t.Errorf("what was begun does not have the files: %.2000s", last)
		}
		explained := s.Call("GET", "/v1/sessions/"+edited+"/messages", nil).Want(200)
		if explained.Str("data.0.rich_content.segments.1.file.name") != "image.png" {
			t.Errorf("its record is %s", explained.Body)
		}
		if another := send(other, "And now?"); another == session || len(kept(s)) != 4 {
			t.Errorf("with another picture it leads to %s, with %d files", another, len(kept(s)))
		}
		// By its name a session is known as well, with the same files alone.
		named := []string{"X-Fermata-Session", session}
		whole := func(picture []byte) string {
			body := door.body("What is it?", picture, text, "Seen.", "And finally?")
			return post(s, door.path, body, named...).want(200).header.Get("X-Fermata-Session")
		}
		s.Call("POST", "/v1/sessions/"+session+"/messages", object{"text": "From the page."}).Want(202)
		s.Settle(session)
		if got := whole(other); got == session {
			t.Error("with another picture it leads to the same session")
		}
		if got := whole(one); got != session {
			t.Errorf("by its name it leads to %s, not %s", got, session)
		}
	})
}

// What cannot be taken is refused with a word about what can, and nothing is stored.
func TestFilesThatChatDoorsRefuse(t *testing.T) {
	s, v := harness.NewServer(t, harness.Databases["sqlite"](t)), newVendor(t)
	seeing(t, s, v)
	image := func(url string) object { return object{"type": "image_url", "image_url": object{"url": url}} }
	file := func(fields object) object { return object{"type": "file", "file": fields} }
	sized := func(n int) string { return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("a"), n)) }
	png := drawn(t, 40, 40)
	many := []any{object{"type": "text", "text": "see"}}
	for i := range domain.MaxMessageFiles + 1 {
		many = append(many, file(object{"filename": fmt.Sprint(i), "file_data": sized(10 + i)}))
	}
	for name, c := range map[string]struct {
		content     any
		status      int
		code, param string
	}{
		"an address":       {[]any{image("https://example.com/a.png")}, 422, "invalid", "messages[0].content[0].image_url.url"},
		"an own address":   {[]any{image("http://127.0.0.1/a.png")}, 422, "invalid", "messages[0].content[0].image_url.url"},
		"a local file":     {[]any{image("file:///etc/passwd")}, 422, "invalid", "messages[0].content[0].image_url.url"},
		"no comma":         {[]any{image("data:image/png;base64")}, 422, "invalid", "messages[0].content[0].image_url.url"},
		"no base64":        {[]any{image("data:image/png;base64,***")}, 422, "invalid", "messages[0].content[0].image_url.url"},
		"a bad escape":     {[]any{image("data:text/plain,%zz")}, 422, "invalid", "messages[0].content[0].image_url.url"},
		"a cut picture":    {[]any{image(dataURL("image/png", png[:len(png)/2]))}, 422, "unreadable_file", "messages[0].content[0].image_url.url"},
		"a PDF":            {[]any{file(object{"filename": "a.pdf", "file_data": dataURL("application/pdf", []byte("%PDF-1.7\n\x00\xff"))})}, 415, "unsupported_file", "messages[0].content[0].file.file_data"},
		"nothing":          {[]any{file(object{"filename": "a.pdf"})}, 422, "invalid", "messages[0].content[0].file.file_data"},
		"an unknown id":    {[]any{file(object{"file_id": "fil_0197"})}, 422, "invalid", "messages[0].content[0].file.file_id"},
		"a foreign id":     {[]any{file(object{"file_id": "file-abc"})}, 422, "invalid", "messages[0].content[0].file.file_id"},
		"too large a file": {[]any{file(object{"filename": "a", "file_data": sized(userdata.MaxFileBytes + 1)})}, 413, "too_large", "messages[0].content[0].file.file_data"},
		"too many":         {many, 422, "invalid", "messages[0].content[21].file.file_data"},
		"sound":            {[]any{object{"type": "input_audio", "input_audio": object{"data": "aaaa", "format": "wav"}}}, 422, "invalid", "messages[0].content[0].type"},
		"too many words":   {strings.Repeat("a", 1<<20), 413, "too_large", ""},
	} {
		reply := post(s, "/v1/chat/completions", object{"model": "fermata", "messages": []any{object{"role": "user", "content": c.content}}})
		var problem struct {
			Error struct{ Code, Param, Message string }
		}
		if err := json.Unmarshal(reply.body, &problem); err != nil || reply.status != c.status || problem.Error.Code != c.code || problem.Error.Param != c.param {
			t.Errorf("%s: %d %.300s, want %d %s at %q", name, reply.status, reply.body, c.status, c.code, c.param)
		}
	}
	assistant := []any{object{"role": "assistant", "content": []any{image(dataURL("image/png", png))}}, object{"role": "user", "content": "see"}}
	post(s, "/v1/chat/completions", object{"model": "fermata", "messages": assistant}).want(422)
	plain := []any{object{"role": "user", "content": []any{image(dataURL("image/png", png))}}}
	post(s, "/v1/chat/completions", object{"model": "fermata/raw", "messages": plain}).want(422)
	post(s, "/v1/chat/completions", `{"x": "`+strings.Repeat("a", 33<<20)+`"}`).want(413)
	if len(kept(s)) != 0 || len(sessions(s)) != 0 || len(v.bodies) != 0 {
		t.Errorf("%d files, %d sessions, %d calls", len(kept(s)), len(sessions(s)), len(v.bodies))
	}
	// A file that was uploaded is named by its id, and one without words is a message.
	id := upload(t, s, "plan.txt", []byte("buy milk")).Want(201).Str("id")
	body := object{"model": "fermata", "messages": []any{object{"role": "user", "content": []any{file(object{"file_id": id})}}}}
	post(s, "/v1/chat/completions", body).want(200)
	post(s, "/v1/chat/completions", body).want(200)
	if !strings.Contains(v.last(t), "buy milk") || len(kept(s)) != 1 || len(v.bodies) != 1 {
		t.Errorf("after %d calls, with %d files, the prompt is %.1000s", len(v.bodies), len(kept(s)), v.last(t))
	}
}

// Killed around the COMMIT of the picture: the request that is made again has its answer, of one
// round, and what a message refers to is there whole.
func TestKilledWhileAChatSendsAPicture(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		p := newProcess(t, db)
		door := chatDoors["chat completions"]
		for n, moment := range []string{before, after} {
			words := fmt.Sprintf("Look %d", n)
			body, err := json.Marshal(door.body(words, drawn(t, 60, 40), long(n), "", ""))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(db.DataDir, fuseFile), []byte(moment), 0o600); err != nil {
				t.Fatal(err)
			}
			if status, answer, err := p.call("POST", door.path, "", body); err == nil {
				t.Fatalf("killed %s the COMMIT it answers %d %s", moment, status, answer)
			}
			p.Kill()
			for range 2 {
				if status, answer, err := p.call("POST", door.path, "", body); err != nil || status != 200 {
					t.Fatalf("made again it answers %d %s %v", status, answer, err)
				}
			}
			p.Kill()
			var all struct{ Data []struct{ ID string } }
			p.read("/v1/sessions", &all)
			if len(all.Data) != n+1 {
				t.Fatalf("%s the COMMIT: %d sessions", moment, len(all.Data))
			}
			var record struct {
				Data []struct {
					Rich struct {
						Segments []struct {
							Text string
							File struct {
								ID     string
								SHA256 string
								Bytes  int
							}
						}
					} `json:"rich_content"`
				}
			}
			p.read("/v1/sessions/"+all.Data[0].ID+"/messages", &record)
			if len(record.Data) != 2 || len(record.Data[0].Rich.Segments) != 3 || record.Data[0].Rich.Segments[0].Text != words {
				t.Fatalf("%s the COMMIT: the record is %+v", moment, record)
			}
			for _, segment := range record.Data[0].Rich.Segments[1:] {
				status, content, err := p.call("GET", "/v1/files/"+segment.File.ID, "", nil)
				if err != nil || status != 200 || len(content) != segment.File.Bytes {
					t.Errorf("%s the COMMIT: %d, %d bytes of %d, %v", moment, status, len(content), segment.File.Bytes, err)
				}
			}
		}
	})
}
