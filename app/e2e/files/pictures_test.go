package files

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	anthropic "github.com/fermata-dev/fermata/providers/anthropic/fake"
	gemini "github.com/fermata-dev/fermata/providers/gemini/fake"
	openai "github.com/fermata-dev/fermata/providers/openai/fake"
	"github.com/fermata-dev/fermata/providers/suite"
)

// drawn is a picture that compresses badly, and differs from others.
func drawn(t *testing.T, w, h int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{uint8(7 * x), uint8(5 * y), uint8(x * y), 255})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// configured makes a provider of a vendor's kind, which answers with these replies.
func configured(t *testing.T, s *harness.Server, vendor suite.Fake, more map[string]any, replies ...suite.Reply) (id string, player *suite.Player) {
	t.Helper()
	player = vendor.Play(replies...)
	server := httptest.NewServer(player)
	t.Cleanup(server.Close)
	config := vendor.Config(server.URL, domain.ProtocolNative)
	config["api_key"] = "sk-of-the-fake-0123456789"
	maps.Copy(config, more)
	return s.Call("POST", "/v1/providers", map[string]any{"name": vendor.Name, "kind": vendor.Kind, "config": config}).Want(201).Str("id"), player
}

// given is the recorded form of the file in the prompt of each answer of a session, and the reason for it.
func given(s *harness.Server, session string) (forms []string) {
	for _, m := range s.Call("GET", "/v1/sessions/"+session+"/messages?limit=200", nil).Want(200).List("data") {
		raw, _ := m.(map[string]any)["ai_raw"].(map[string]any)
		files, _ := raw["prompt_files"].([]any)
		for _, f := range files {
			file := f.(map[string]any)
			why, _ := file["why"].(string)
			forms = append(forms, file["as"].(string)+" "+why)
		}
	}
	return forms
}

// A picture is in the prompts of its round, in the form of the vendor, and later prompts name it. The record is the
// same for all vendors.
func TestPicturesThroughAllVendors(t *testing.T) {
	var first []string
	for _, vendor := range []suite.Fake{openai.OpenAI(), openai.Compatible(), anthropic.Claude(), gemini.Gemini()} {
		t.Run(vendor.Name, func(t *testing.T) {
			s := harness.NewServer(t, harness.Databases["sqlite"](t))
			look := suite.Reply{Calls: []suite.Call{{ID: "a", Name: "ZONES", Arguments: `{}`}}, StopReason: "calls"}
			say := suite.Reply{Text: []string{"A pattern."}, StopReason: "stop"}
			provider, player := configured(t, s, vendor, map[string]any{"images": true}, look, say, say)
			file := upload(t, s, "pattern.png", drawn(t, 60, 40)).Want(201)
			id := file.Str("id")
			chat := s.Call("POST", "/v1/sessions", map[string]any{
				"provider_id": provider, "message": map[string]any{"segments": []any{
					map[string]any{"type": "text", "text": "What is it?"}, map[string]any{"type": "file", "file_id": id}}},
			}).Want(201).Str("id")
			s.Settle(chat)
			s.Say(chat, "Are you sure?")
			record := s.Record(chat)
			if first == nil {
				first = record
			}
			if want := []string{"USER", "AI", "DATA_ADDED", "AI", "USER", "AI"}; !reflect.DeepEqual(record, want) || !reflect.DeepEqual(record, first) {
				t.Errorf("the record is %v, want %v", record, want)
			}
			content := base64.StdEncoding.EncodeToString(s.Call("GET", "/v1/files/"+id, nil).Want(200).Body)
			requests := player.Requests()
			if len(requests) != 3 {
				t.Fatalf("%d requests", len(requests))
			}
			for i, shown := range []bool{true, true, false} {
				if got := bytes.Count(requests[i], []byte(content)); got != map[bool]int{true: 1, false: 0}[shown] {
					t.Errorf("the picture is %d times in request %d", got, i+1)
				}
				if !bytes.Contains(requests[i], []byte(id)) || !bytes.Contains(requests[i], []byte("pattern.png")) {
					t.Errorf("request %d does not name the file", i+1)
				}
			}
			if got, want := given(s, chat), []string{"picture ", "picture ", "reference earlier_round"}; !slices.Equal(got, want) {
				t.Errorf("the record says of the file %q, want %q", got, want)
			}
			if !bytes.Contains(requests[2], []byte("earlier round")) {
				t.Error("the later prompt does not say where the picture was")
			}
			for _, call := range s.Calls(chat)[:2] {
				if tokens := call["prompt_tokens"].(float64); tokens < 85 {
					t.Errorf("a prompt with a picture is estimated at %v tokens", tokens)
				}
			}
			s.Sound()
		})
	}
}

// A question that is rephrased keeps the picture that was sent with it, and shows it again; a new question has its
// own files.
func TestOtherWordsKeepThePicture(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := harness.NewServer(t, db)
		say := suite.Reply{Text: []string{"Seen."}, StopReason: "stop"}
		provider, _ := configured(t, s, openai.OpenAI(), map[string]any{"images": true}, say, say, say, say, say)
		id := upload(t, s, "x.png", drawn(t, 60, 40)).Want(201).Str("id")
		chat := s.Call("POST", "/v1/sessions", map[string]any{"provider_id": provider, "message": map[string]any{"text": "What is it?", "file_ids": []string{id}}}).Want(201).Str("id")
		s.Settle(chat)
		for _, c := range []struct {
			message any
			shown   string
		}{
			{"What do you see?", "picture"}, {map[string]any{"text": "And now?"}, ""},
			{map[string]any{"text": "Now?", "file_ids": []string{id}}, "picture"},
		} {
			s.Call("POST", "/v1/sessions/"+chat+"/retry", map[string]any{"message": c.message}).Want(200)
			s.Settle(chat)
			last := s.Call("GET", "/v1/sessions/"+chat+"/messages?order=desc&limit=2", nil).Want(200)
			as, _ := last.At("data.0.ai_raw.prompt_files.0.as").(string)
			if as != c.shown || strings.Contains(last.Str("data.1.rich_content.linear_text"), "[x.png]") != (c.shown != "") {
				t.Errorf("%v: the file is there as %q: %s", c.message, as, last.Body)
			}
			if from, _ := last.At("data.1.rich_content.segments.1.from.origin").(string); c.shown != "" && from != "file" {
				t.Errorf("%v: the file is from %q, and cannot taint what follows", c.message, from)
			}
		}
		// A file that was deleted meanwhile does not prevent a rephrased question.
		s.Call("DELETE", "/v1/files/"+id, nil).Want(204)
		s.Call("POST", "/v1/sessions/"+chat+"/retry", map[string]any{"message": "Still there?"}).Want(200)
		s.Settle(chat)
		if got := given(s, chat); got[len(got)-1] != "reference deleted" {
			t.Errorf("the record says %q", got)
		}
		s.Sound()
	})
}

// A model without vision gets a note in words.
func TestAModelThatCannotSee(t *testing.T) {
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	say := suite.Reply{Text: []string{"I cannot see it."}, StopReason: "stop"}
	provider, player := configured(t, s, openai.OpenAI(), map[string]any{"images": false}, say)
	id := upload(t, s, "x.png", drawn(t, 60, 40)).Want(201).Str("id")
	chat := s.Call("POST", "/v1/sessions", map[string]any{
		"provider_id": provider, "message": map[string]any{"text": "What is it?", "file_ids": []string{id}},
	}).Want(201).Str("id")
	s.Settle(chat)
	request := string(player.Requests()[0])
	if strings.Contains(request, "image_url") || !strings.Contains(request, "You cannot see pictures") || !strings.Contains(request, "60 × 40") {
		t.Errorf("the request is %s", request)
	}
	if got := given(s, chat); !slices.Equal(got, []string{"reference model_cannot_see"}) {
		t.Errorf("the record says of the file %q", got)
	}
}

// Many and large pictures: those for which a request has no room are named in words.
func TestPicturesBeyondTheRoomOfARequest(t *testing.T) {
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	say := suite.Reply{Text: []string{"Seen."}, StopReason: "stop"}
	provider, player := configured(t, s, anthropic.Claude(), nil, say)
	s.Call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": map[string]any{"context_budget_tokens": nil}}}).Want(200)
	var ids []string
	for i := range domain.MaxMessageFiles + 1 {
		ids = append(ids, upload(t, s, "x.png", drawn(t, 40+i, 40)).Want(201).Str("id"))
	}
	chat := s.Call("POST", "/v1/sessions", map[string]any{"provider_id": provider}).Want(201).Str("id")
	messages := "/v1/sessions/" + chat + "/messages"
	s.Call("POST", messages, map[string]any{"text": "All.", "file_ids": ids}).Want(422)
	s.Call("POST", messages, map[string]any{"text": "All but one.", "file_ids": ids[1:]}).Want(202)
	s.Settle(chat)
	if got := bytes.Count(player.Requests()[0], []byte(`"type":"image"`)); got != domain.MaxMessageFiles {
		t.Errorf("%d pictures are shown", got)
	}
}
