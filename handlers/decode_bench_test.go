package handlers

import (
	"testing"

	"github.com/fermata-dev/fermata/api"
)

// BenchmarkTurn is what the API itself costs a message: reading it, and writing its answer.
func BenchmarkTurn(b *testing.B) {
	body := []byte(`{"text":"How far did I run last week, and was it more than the week before?"}`)
	w := newWorld()
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var in api.MessageInput
			if err := decode(body, &in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("answer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := api.EncodeAccepted(w.messages[0], w.sessions["ses_1"], 7); err != nil {
				b.Fatal(err)
			}
		}
	})
}
