package suite

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// Ending is how a reply ends.
type Ending int

// The endings. Only Complete is an answer.
const (
	Complete Ending = iota
	Cut             // the stream ends cleanly, without its terminal event
	Reset           // the connection breaks
	Failed          // an error event inside the stream: the vendor is overloaded
	Hang            // nothing more comes; the wire waits until the client leaves
)

// Call is a tool call of a reply.
type Call struct{ ID, Name, Arguments string }

// Reply is what the fake model says.
type Reply struct {
	Thinking []string
	Text     []string // the pieces as they stream
	Calls    []Call
	// StopReason in Fermata's words: "stop", "calls", "length", "refused".
	StopReason string
	Usage      domain.Usage
	Ending     Ending

	// With Status, the reply is this and nothing else.
	Status int
	Header map[string]string
	Body   string
}

// Wire is one vendor's protocol.
type Wire struct {
	// New makes a provider that calls baseURL with this key.
	New func(t *testing.T, baseURL, key string, client *http.Client) providers.Provider
	// Write sends a reply (one without Status) in the form that the request asks for,
	// streamed or whole.
	Write func(w http.ResponseWriter, r *http.Request, body []byte, reply Reply)
	// NoThinking, NoCalls: the wire has none.
	NoThinking bool
	NoCalls    bool
}

// Quote makes a JSON string and leaves invalid UTF-8 in it as it is, as a broken
// server would.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < 0x20:
			const digits = "0123456789abcdef"
			b.WriteString(`\u00` + string(digits[c>>4]) + string(digits[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Break closes the connection in the middle of a response.
func Break(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close() // that is the point
}
