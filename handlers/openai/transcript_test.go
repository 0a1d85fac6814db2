package openai

import (
	"context"
	"net/http"
	"testing"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// offered are the providers of the workspace: none.
type offered struct{ *suite.World }

func (offered) Providers(context.Context, string) ([]*domain.Provider, error) { return nil, nil }

// served serves each request for one caller, by the protocol that its body is of.
type served struct {
	errorWriter
	serve func(http.ResponseWriter, *http.Request, *auth.Identity, []byte) error
}

func (s served) Serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	return s.serve(w, r, suite.Caller, body)
}

func transcriptConfig(w *suite.World) Config {
	return Config{
		Door: w, Record: w, Follow: w.Follow, Histories: w, Names: rounds.NewSessionNames(clock.System), Providers: offered{w},
		Access: w, Failure: suite.Failure, PublicURL: "https://fermata.example", Clock: clock.System, NewID: w.NewID,
	}
}

// Each story has the same bytes on the wire as before, in both protocols.
func TestTranscripts(t *testing.T) {
	header := http.Header{sessionHeader: {suite.SessionID}}
	const (
		message = `"messages":[{"role":"user","content":"` + suite.Text + `"}]`
		input   = `"input":"` + suite.Text + `"`
		sent    = `{"model":"fermata"}`
	)
	t.Run("chat", func(t *testing.T) {
		suite.Run(t, "testdata/chat", []suite.Request{
			{Name: "completion", Header: header, Body: `{"model":"fermata",` + message + `}`},
			{Name: "stream", Header: header, Body: `{"model":"fermata","stream":true,"stream_options":{"include_usage":true},` + message + `}`},
		}, func(w *suite.World) suite.Door {
			return served{serve: (&Completions{Config: transcriptConfig(w)}).Serve}
		})
	})
	t.Run("responses", func(t *testing.T) {
		suite.Run(t, "testdata/responses", []suite.Request{
			{Name: "response", Header: header, Body: `{"model":"fermata",` + input + `}`, Metadata: sent},
			{Name: "background", Header: header, Body: `{"model":"fermata","background":true,` + input + `}`, Metadata: sent},
			{Name: "stream", Header: header, Body: `{"model":"fermata","stream":true,` + input + `}`, Metadata: sent},
		}, func(w *suite.World) suite.Door {
			return served{serve: (&Responses{Config: transcriptConfig(w)}).Serve}
		})
	})
}
