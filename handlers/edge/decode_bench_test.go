package edge_test

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// BenchmarkTurn is what the API itself costs a message: reading it, and writing its answer.
func BenchmarkTurn(b *testing.B) {
	body := []byte(`{"text":"How far did I run last week, and was it more than the week before?"}`)
	w := servertest.NewWorld(b)
	session, err := w.Store.Sessions.Session(b.Context(), domain.DefaultWorkspace, "ses_1")
	if err != nil {
		b.Fatal(err)
	}
	message, err := w.Store.Sessions.Message(b.Context(), domain.DefaultWorkspace, "ses_1", "msg_1")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var in api.MessageInput
			if err := edge.Decode(body, &in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("answer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := api.EncodeAccepted(message, session, 7); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkLargeBody is what a body as large as may be costs: one long text, and many small
// values.
func BenchmarkLargeBody(b *testing.B) {
	entry := `{"timestamp":"2026-03-02T07:30:00Z","data":{"km":7.5,"note":"ran \"well\", été"}}`
	for name, body := range map[string]string{
		"text":   `{"session_ids":["` + strings.Repeat("a", edge.MaxBody-100) + `"]}`,
		"values": `{"entries":[` + strings.Repeat(entry+",", 1999) + entry + "]}",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if name == "text" {
					_ = edge.Decode([]byte(body), &api.HeartbeatInput{}) // an id as long is refused, at the end
				} else {
					_ = edge.Decode([]byte(body), &api.NewEntries{}) // and so are as many entries
				}
			}
		})
	}
}
