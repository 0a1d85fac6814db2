package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// Rounds with a tool of the client's own: asked with usesTool, the AI calls it twice at once, and
// answers behind what it found.
const (
	toolName = "look_up"
	usesTool = ", with the tool"
	// toolTakes is how long the AI thinks before it calls.
	toolTakes = 60 * time.Millisecond
)

// ask is the n-th question of a client that has the tool: every third one uses it.
func ask(n int) string {
	question := fmt.Sprintf("question %03d", n)
	if n%3 == 0 {
		question += usesTool
	}
	return question
}

// recorded is the record of a question.
func recorded(question, answer string) []string {
	if strings.HasSuffix(question, usesTool) {
		return []string{"USER " + question, "AI ", "SYSTEM found one, found two", "AI " + answer}
	}
	return []string{"USER " + question, "AI " + answer}
}

// toolStep has the AI call the tool.
func toolStep() string {
	return fmt.Sprintf(`{"when": {"contains": %q, "roundtrip": 1}, "delay_ms": %d, "answer": {"calls": [
		{"name": %q, "arguments": {"of": "one"}}, {"name": %[3]q, "arguments": {"of": "two"}}]}}`, usesTool, toolTakes.Milliseconds(), toolName)
}

// clientCall is a call as a client is given it.
type clientCall struct{ ID, Arguments string }

// found is what the tool finds.
func (c clientCall) found() string {
	var of struct{ Of string }
	if err := json.Unmarshal([]byte(c.Arguments), &of); err != nil {
		return err.Error()
	}
	return "found " + of.Of
}

var toolParameters = map[string]any{"type": "object", "properties": map[string]any{"of": map[string]any{"type": "string"}}}

func chatTools() []openai.ChatCompletionToolUnionParam {
	return []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: toolName, Parameters: toolParameters,
	})}
}

// toolRun is the message that a chat client was given, and what its tool found.
func toolRun(given openai.ChatCompletionMessage) []openai.ChatCompletionMessageParamUnion {
	said := []openai.ChatCompletionMessageParamUnion{given.ToParam()}
	for _, c := range given.ToolCalls {
		said = append(said, openai.ToolMessage(clientCall{c.ID, c.Function.Arguments}.found(), c.ID))
	}
	return said
}

// withTool has a completion made whose calls the client runs itself, while the server is killed:
// before it has called, or behind the results. The SDK repeats.
func (f *front) withTool(client openai.Client, request openai.ChatCompletionNewParams) string {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	defer f.spare()
	request.Tools, request.Messages = chatTools(), slices.Clone(request.Messages)
	for n, dies := 0, rand.N(2); ; n++ {
		if n == dies {
			f.strikeWithin([]time.Duration{toolTakes, answerTakes}[n])
		}
		answer, err := client.Chat.Completions.New(ctx, request)
		if err != nil {
			f.t.Fatalf("the client gave up: %v", err)
		}
		f.spare()
		given := answer.Choices[0].Message
		if len(given.ToolCalls) == 0 {
			return given.Content
		}
		request.Messages = append(request.Messages, toolRun(given)...)
	}
}

func responseTools() []responses.ToolUnionParam {
	return []responses.ToolUnionParam{responses.ToolParamOfFunction(toolName, toolParameters, false)}
}

func callsOf(output []responses.ResponseOutputItemUnion) (calls []clientCall) {
	for _, item := range output {
		if item.Type == "function_call" {
			call := item.AsFunctionCall()
			calls = append(calls, clientCall{call.CallID, call.Arguments})
		}
	}
	return calls
}

// foundBy is the request that brings what the calls of a response found.
func foundBy(calls []clientCall, response string) responses.ResponseNewParams {
	var items responses.ResponseInputParam
	for _, c := range calls {
		item := responses.ResponseInputItemParamOfFunctionCallOutput(c.found())
		item.OfFunctionCallOutput.CallID = openai.String(c.ID)
		items = append(items, item)
	}
	return responses.ResponseNewParams{
		Model: "fermata", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
		PreviousResponseID: openai.String(response), Tools: responseTools(),
	}
}

// withTool is withTool of responses.
func (r *responder) withTool(text string) string {
	t := r.front.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	defer r.front.spare()
	in := r.params(text)
	for n, dies := 0, rand.N(2); ; n++ {
		if n == dies {
			r.front.strikeWithin([]time.Duration{toolTakes, answerTakes}[n])
		}
		got, err := r.client.Responses.New(ctx, in)
		if err != nil {
			t.Fatalf("the client gave up: %v", err)
		}
		r.front.spare()
		r.last, r.session = got.ID, got.Conversation.ID
		calls := callsOf(got.Output)
		if len(calls) == 0 {
			return got.OutputText()
		}
		in = foundBy(calls, got.ID)
	}
}
