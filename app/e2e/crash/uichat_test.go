package crash

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestAUIChatThroughKills: a front end of the AI SDK only resumes the stream when it breaks, or sends its messages
// again: no round is lost or doubled, and its final messages are those in the record.
func TestAUIChatThroughKills(t *testing.T) {
	throughKills(t, func(t *testing.T, front *front, kills, rounds int) {
		h := front.host
		var want []string
		session := ""
		for n := 0; h.died() < kills && n < rounds; n++ {
			question, answer := fmt.Sprintf("question %03d", n), front.answer(n)
			want = append(want, "USER "+question, "AI "+answer)
			if n%4 < 2 {
				front.strikeWithin(answerTakes)
			} else {
				front.strikeWithin(2 * answerTakes) // perhaps when all is over
			}
			chat := &uiChat{front: front, message: fmt.Sprint("m", n), question: question, resumes: n%2 == 0}
			chat.talk()
			front.spare()
			if session = chat.session; chat.held != answer {
				t.Fatalf("round %d: the client holds %q, and should %q", n, chat.held, answer)
			}
		}
		if got := front.record(session); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the record is\n%s\nand should be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		front.sound()
		h.diedOften(kills, len(want)/2)
	})
}

// uiChat is a chat as a front end has it: what it asks, and what it holds of the answer.
type uiChat struct {
	front             *front
	message, question string
	resumes           bool // it resumes a stream that broke; else it sends what it holds once more

	session  string
	id       string // of the answer; "" while nothing came
	held     string
	steps    int
	finished bool
}

// talk continues until the round has finished. A message that may not have arrived is sent again.
func (c *uiChat) talk() {
	c.front.t.Helper()
	for try := range maxTries {
		if c.resumes && try > 0 && c.id != "" {
			c.read(http.MethodGet, "/the%20talk/stream", "")
		} else {
			c.read(http.MethodPost, "", c.body())
		}
		if c.finished {
			return
		}
		c.front.pause()
	}
	c.front.t.Fatal("no round came to its end")
}

func (c *uiChat) body() string {
	held := ""
	if c.id != "" {
		held = fmt.Sprintf(`,{"id":%q,"role":"assistant","parts":[%s{"type":"text","text":%q}]}`,
			c.id, strings.Repeat(`{"type":"step-start"},`, c.steps), c.held)
	}
	return fmt.Sprintf(`{"id":"the talk","messages":[{"id":%q,"role":"user","parts":[{"type":"text","text":%q}]}%s]}`, c.message, c.question, held)
}

func (c *uiChat) read(method, path, body string) {
	request, err := http.NewRequestWithContext(c.front.t.Context(), method, c.front.url+"/v1/ui/chat"+path, strings.NewReader(body))
	if err != nil {
		c.front.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var chunk struct {
			Type      string
			Delta     string
			MessageID string
			Metadata  struct {
				SessionID string `json:"session_id"`
			} `json:"messageMetadata"`
		}
		if !ok || json.Unmarshal([]byte(data), &chunk) != nil {
			continue
		}
		switch chunk.Type {
		case "start":
			if method == http.MethodGet { // a replay begins with nothing
				c.held, c.steps = "", 0
			}
			c.id, c.session = chunk.MessageID, chunk.Metadata.SessionID
		case "start-step":
			c.steps++
		case "text-delta":
			c.held += chunk.Delta
		case "finish":
			c.finished = true
		}
	}
}
