package crash

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// clientVariable makes this test binary a client of one of the doors, which a test may kill.
const clientVariable = "FERMATA_TEST_CLIENT"

// clientTask is what a client is to ask. One that was killed is started again with the same.
type clientTask struct {
	Door, URL string
	Said      []string // the history of a chat client, user and assistant alternating; the last is the question
	ID        string   // under which a client knows its message
	Session   string   // where the client knows it
	Previous  string   // the response before
	Place     string   // a file for what the client has of a stream; "": it keeps nothing
}

func (c *clientTask) question() string { return c.Said[len(c.Said)-1] }

// clientSays is what a client that came to its end holds.
type clientSays struct{ Text, Session, ID string }

// clientPrograms are the clients, by their doors.
var clientPrograms = map[string]func(context.Context, *clientTask) (clientSays, error){
	"chat": chatProgram, "responses": responsesProgram, "mcp": taskProgram, "ag-ui": runProgram,
}

// clientAsChild performs the task, and prints the result.
func clientAsChild(summary string) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var task clientTask
	err := json.Unmarshal([]byte(summary), &task)
	if err == nil {
		var says clientSays
		if says, err = clientPrograms[task.Door](ctx, &task); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(says)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// chatProgram has OpenAI's client stream a completion.
func chatProgram(ctx context.Context, task *clientTask) (says clientSays, err error) {
	var said []openai.ChatCompletionMessageParamUnion
	for i, text := range task.Said {
		if i%2 == 0 {
			said = append(said, openai.UserMessage(text))
		} else {
			said = append(said, openai.AssistantMessage(text))
		}
	}
	var response *http.Response
	client := openai.NewClient(option.WithBaseURL(task.URL + "/v1"))
	for {
		stream := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "fermata", Messages: said, Tools: chatTools()},
			option.WithResponseInto(&response))
		var all openai.ChatCompletionAccumulator
		finished := ""
		for stream.Next() {
			all.AddChunk(stream.Current())
			for _, c := range stream.Current().Choices {
				says.Text += c.Delta.Content
				finished = cmp.Or(c.FinishReason, finished)
			}
		}
		switch {
		case stream.Err() != nil, finished != "stop" && finished != "tool_calls":
			return says, fmt.Errorf("the stream ended with %q: %w", says.Text, stream.Err())
		case finished == "stop":
			says.Session = response.Header.Get("X-Fermata-Session")
			return says, nil
		}
		said = append(said, toolRun(all.Choices[0].Message)...)
	}
}

// placeKept is what a client has of a stream, as it keeps it for a death of its own.
type placeKept struct {
	ID      string
	Number  int64
	Held    string
	Session string // once the response is whole
	Calls   []clientCall
	// After is the previous response, whose calls are in Brings: the request contains their results.
	After  string
	Brings []clientCall
}

func (c *clientTask) kept() (place placeKept, err error) {
	if c.Place == "" {
		return place, nil
	}
	text, err := os.ReadFile(c.Place)
	if os.IsNotExist(err) {
		return place, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &place)
	}
	return place, err
}

// keep writes the place down whole, or not at all.
func (c *clientTask) keep(place placeKept) error {
	if c.Place == "" {
		return nil
	}
	text, err := json.Marshal(place)
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(c.Place), "beside")
	if err := os.WriteFile(beside, text, 0o600); err != nil {
		return err
	}
	return os.Rename(beside, c.Place)
}

// responsesProgram streams a response with OpenAI's client. One that keeps its position resumes there; the other
// one repeats its request.
func responsesProgram(ctx context.Context, task *clientTask) (says clientSays, err error) {
	place, err := task.kept()
	if err != nil {
		return says, err
	}
	r := &responder{client: openai.NewClient(option.WithBaseURL(task.URL + "/v1")), last: task.Previous}
	for {
		in := r.params(task.question())
		if place.After != "" {
			in = foundBy(place.Brings, place.After)
		}
		if err := place.listen(ctx, r, in, task); err != nil {
			return says, err
		}
		if len(place.Calls) == 0 {
			return clientSays{Text: place.Held, Session: place.Session, ID: place.ID}, nil
		}
		place = placeKept{Held: place.Held, After: place.ID, Brings: place.Calls}
		if err := task.keep(place); err != nil {
			return says, err
		}
	}
}

// listen has the stream of a response, or the rest of it.
func (p *placeKept) listen(ctx context.Context, r *responder, in responses.ResponseNewParams, task *clientTask) error {
	if p.Session != "" {
		return nil // it was whole when the client died
	}
	stream := r.open(ctx, in, p.ID, p.Number)
	defer stream.Close()
	for stream.Next() {
		e := stream.Current()
		switch p.Number = e.SequenceNumber; e.Type {
		case "response.created":
			p.ID = e.Response.ID
		case "response.output_text.delta":
			p.Held += e.Delta
		case "response.completed":
			if e.Response.Status == responses.ResponseStatusCompleted {
				p.Session, p.Calls = e.Response.Conversation.ID, callsOf(e.Response.Output)
			}
		}
		if err := task.keep(*p); err != nil {
			return err
		}
	}
	if p.Session == "" {
		return fmt.Errorf("the stream ended with %q", p.Held)
	}
	return nil
}

// taskProgram begins a task, and asks for it until it is done.
func taskProgram(ctx context.Context, task *clientTask) (says clientSays, err error) {
	arguments := map[string]any{"text": task.question(), "idempotency_key": task.ID}
	if task.Session != "" {
		arguments["session_id"] = task.Session
	}
	var at mcpTask
	if err := mcpPost(ctx, task.URL, "tools/call", "send_message", map[string]any{"name": "send_message", "arguments": arguments}, &at); err != nil {
		return says, err
	}
	for at.ID != "" {
		if err := mcpPost(ctx, task.URL, "tasks/get", at.ID, map[string]any{"taskId": at.ID}, &at); err != nil {
			return says, err
		}
		if at.Status == "completed" {
			return clientSays{Text: at.Result.Content.Text, Session: at.Result.Content.SessionID}, nil
		}
		pause(ctx)
	}
	return says, fmt.Errorf("it was given no task: %+v", at)
}

// runProgram makes a run.
func runProgram(ctx context.Context, task *clientTask) (says clientSays, err error) {
	run, err := makeRun(ctx, task.URL, task.ID, task.question())
	if err == nil && !run.finished {
		err = fmt.Errorf("the run ended with %q", run.held)
	}
	return clientSays{Text: run.held, Session: run.session}, err
}
