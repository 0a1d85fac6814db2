package doors

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const responseTalk = `[
	{"when": {"contains": "make", "roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Garden"}}]}},
	{"when": {"contains": "Second question"}, "token_delay_ms": 50, "answer": {"text": "The second answer, in a few words."}},
	{"when": {"contains": "First question"}, "answer": {"text": "The first answer."}}]`

// OpenAI's own client holds a talk, leaves a stream and takes it up again, and works in the
// background: by changing the base URL.
func TestTheResponsesClient(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, responseTalk)
		s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
		var got struct {
			First, Session, Left, Text, Second, Helper string
			Background, Third, Reason, Asked           string
			Cancelled                                  string
			Pieces                                     int
			Metadata                                   map[string]string
			Usage                                      struct {
				Total int `json:"total_tokens"`
			}
			Items, Sessions []string
			Refused         struct {
				Status      int
				Code, Param string
			}
		}
		runClient(t, "responses.mjs", s.URL, key, &got)
		const second = "The second answer, in a few words."
		if got.First != "The first answer." || got.Metadata["from"] != "the example" || got.Usage.Total == 0 {
			t.Errorf("the first is %q, with %v and %+v", got.First, got.Metadata, got.Usage)
		}
		if got.Text != second || got.Left == second || got.Left == "" || got.Second != "completed" || got.Helper != second {
			t.Errorf("the second is %q, of which %q came first, then %q (%s)", got.Text, got.Left, got.Helper, got.Second)
		}
		if got.Background == "completed" || got.Third != "incomplete" || got.Reason != "input_required" || !strings.Contains(got.Asked, "Waiting for your approval") {
			t.Errorf("the third is %s, then %s (%s): %q", got.Background, got.Third, got.Reason, got.Asked)
		}
		if strings.Join(got.Items, "|") != "make it" || got.Cancelled != "cancelled" {
			t.Errorf("its input is %q, and cancelled it is %s", got.Items, got.Cancelled)
		}
		if got.Refused.Status != 404 || got.Refused.Code != "not_found" || got.Refused.Param != "model" {
			t.Errorf("an unknown model is refused with %+v", got.Refused)
		}
		if got.Sessions[0] != got.Session || got.Sessions[1] != got.Session {
			t.Errorf("the sessions are %q and %q", got.Session, got.Sessions)
		}
		want := "USER First question|AI The first answer.|USER Second question|AI " + second + "|USER make it|AI I make it."
		if said := strings.Join(s.said(got.Session), "|"); !strings.HasPrefix(said, want) {
			t.Errorf("the record is %q", said)
		}
		s.Sound()
	})
}

// OpenAI's client for Go does, too.
func TestTheResponsesClientForGo(t *testing.T) {
	s, key := newChatServer(t, harness.Databases["sqlite"](t), responseTalk)
	// A connection for each request: none is left behind by a stream.
	once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	client := openai.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey(key), option.WithHTTPClient(once))
	ask := func(text, previous string) responses.ResponseNewParams {
		in := responses.ResponseNewParams{Model: "fermata", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
		if previous != "" {
			in.PreviousResponseID = openai.String(previous)
		}
		return in
	}
	ctx := context.Background()
	first, err := client.Responses.New(ctx, ask("First question", ""))
	if err != nil || first.OutputText() != "The first answer." || first.Status != responses.ResponseStatusCompleted {
		t.Fatalf("%v: %+v", err, first)
	}
	text, last, id := "", int64(0), ""
	stream := client.Responses.NewStreaming(ctx, ask("Second question", first.ID))
	for stream.Next() && strings.Count(text, " ") < 2 {
		event := stream.Current()
		text, last = text+event.Delta, event.SequenceNumber
		if event.Response.ID != "" {
			id = event.Response.ID
		}
	}
	_ = stream.Close()
	rest := client.Responses.GetStreaming(ctx, id, responses.ResponseGetParams{StartingAfter: openai.Int(last)})
	for rest.Next() {
		text += rest.Current().Delta
	}
	if rest.Err() != nil || text != "The second answer, in a few words." {
		t.Errorf("%v: the second is %q", rest.Err(), text)
	}
	if second, err := client.Responses.Get(ctx, id, responses.ResponseGetParams{}); err != nil || second.OutputText() != text || second.Conversation.ID != first.Conversation.ID {
		t.Errorf("%v: read again it is %+v", err, second)
	}
}

// What the how-to for responses says to type is typed, and an approval looks as it shows.
func TestTheHowToForResponses(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; scripts/need curl gets it")
	}
	text, err := os.ReadFile("../../../docs/responses.md")
	if err != nil {
		t.Fatal(err)
	}
	s, key := newChatServer(t, harness.Databases["sqlite"](t), `[
		{"when": {"roundtrip": 1}, "answer": {"text": "I make it.", "calls": [{"name": "CREATE_ZONE", "arguments": {"name": "Shed"}}]}},
		{"answer": {"text": "It is made."}}]`)
	s.Call("PATCH", "/v1/settings", map[string]any{"require_validation": true}).Want(200)
	typed := shell.FindAllStringSubmatch(string(text), -1)
	if len(typed) != 2 {
		t.Fatalf("the page has %d commands", len(typed))
	}
	s.Key = key
	var asked responseSeen
	typeIn(t, s.URL, typed[0][1], &asked, "KEY="+key)
	if record := s.said(asked.Talk.ID); record[0] != "USER create a zone called Garden" {
		t.Errorf("the record is %q", record)
	}
	words := asked.Output[len(asked.Output)-1].Content[0].Text
	if words != "\n\n𝄐 Waiting for your approval:\n- Add the zone “Shed”\n\nAnswer here: "+asked.Fermata.Link || asked.Status != "incomplete" {
		t.Errorf("an approval looks like %q", words)
	}
	for _, piece := range []string{"𝄐 Waiting for your approval:\n- Add the zone “", "”\n\nAnswer here: http://127.0.0.1:8080/#/chat/ses_", asked.IncompleteDetails.Reason} {
		if !strings.Contains(string(text), piece) {
			t.Errorf("the page does not show %q", piece)
		}
	}
	s.Call("POST", "/v1/approvals/"+asked.Fermata.ApprovalID, map[string]any{"approved": true}).Want(200)
	line := exec.Command("bash", "-c", strings.ReplaceAll(typed[1][1], "http://127.0.0.1:8080", s.URL))
	line.Env = append(os.Environ(), "KEY="+key, "ID="+asked.ID, "NUMBER=0")
	if said, err := line.Output(); err != nil || !strings.Contains(string(said), "It is made.") || !strings.Contains(string(said), "response.completed") {
		t.Errorf("%v: the stream says %s", err, said)
	}
}
