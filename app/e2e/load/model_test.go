package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The model stands for the AI, on the OpenAI wire: it streams twenty words, each sent by
// itself. The path says how fast: /fast at once, /slow in 390 ms, which is a quick model.
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
	return mux
}

func sayWords(w http.ResponseWriter, first, next time.Duration) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	send := func(delta, finish, usage string) {
		fmt.Fprintf(w, modelPattern, delta, finish, usage)
		_ = rc.Flush() // whoever asked has gone: it will be seen
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
