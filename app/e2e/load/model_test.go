package load

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The model replaces the AI, with the OpenAI API: it streams twenty words, one at a time. The path selects the
// speed: /fast at once, /slow in 390 ms, like a fast model; /queries, /actions and /outside first call a command,
// and /done, which is slow, completes a run.
const (
	modelWords   = 20
	slowFirst    = 200 * time.Millisecond
	slowNext     = 10 * time.Millisecond
	slowModel    = slowFirst + (modelWords-1)*slowNext
	modelPattern = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]%s}` + "\n\n"
	modelUsage   = `,"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}`
)

func newModel() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /fast/chat/completions", func(w http.ResponseWriter, _ *http.Request) { sayWords(w, 0, 0) })
	mux.HandleFunc("POST /slow/chat/completions", func(w http.ResponseWriter, _ *http.Request) { sayWords(w, slowFirst, slowNext) })
	mux.HandleFunc("POST /queries/chat/completions", func(w http.ResponseWriter, r *http.Request) { sayCommand(w, r, "ZONES", "{}") })
	mux.HandleFunc("POST /actions/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		sayCommand(w, r, "CREATE_ZONE", `{"name": "Health"}`)
	})
	mux.HandleFunc("POST /outside/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		sayCommand(w, r, "SHOP_PAY", fmt.Sprintf(`{"n": %d}`, commandsSaid.Load()))
	})
	mux.HandleFunc("POST /shop/orders", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true}`)
	})
	mux.HandleFunc("POST /done/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(slowModel)
		sayCommand(w, r, "COMPLETE", "{}")
	})
	return mux
}

var commandsSaid atomic.Int64

// sayCommand asks for a command, and answers in words once its result is there.
func sayCommand(w http.ResponseWriter, r *http.Request, name, arguments string) {
	said, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if bytes.LastIndex(said, []byte(`"role":"tool"`)) > bytes.LastIndex(said, []byte(`"role":"user"`)) {
		sayWords(w, 0, 0)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	call := fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}]}`,
		commandsSaid.Add(1), name, arguments)
	fmt.Fprintf(w, modelPattern+modelPattern+"data: [DONE]\n\n", call, "null", "", "{}", `"tool_calls"`, modelUsage)
}

func sayWords(w http.ResponseWriter, first, next time.Duration) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	send := func(delta, finish, usage string) {
		fmt.Fprintf(w, modelPattern, delta, finish, usage)
		_ = rc.Flush() // an error means that the client has gone, which is noticed later
	}
	time.Sleep(first)
	send(`{"role":"assistant","content":""}`, "null", "")
	for i := range modelWords {
		if i > 0 {
			time.Sleep(next)
		}
		send(`{"content":"word "}`, "null", "")
	}
	send("{}", `"stop"`, modelUsage)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// fakeLLM is the model within this process, all of its answer in one piece: what it costs
// is not to be seen beside what is measured.
func fakeLLM(b testing.TB) string {
	b.Helper()
	body := strings.Repeat(fmt.Sprintf(modelPattern, `{"content":"word "}`, "null", ""), modelWords) +
		fmt.Sprintf(modelPattern, "{}", `"stop"`, modelUsage) + "data: [DONE]\n\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, body)
	}))
	b.Cleanup(server.Close)
	return server.URL
}
