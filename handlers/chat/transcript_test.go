package chat

import (
	"context"
	"net/http"
	"testing"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds/suite"
)

// offered are the providers of the workspace: none.
type offered struct{}

func (offered) Providers(context.Context, string) ([]*outside.Provider, error) { return nil, nil }

// caller serves each request for one caller.
type caller struct{ *Completions }

func (c caller) Serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	return c.Completions.Serve(w, r, suite.Caller, body)
}

// Each story has the same bytes on the wire as before.
func TestTranscripts(t *testing.T) {
	header := http.Header{openai.SessionHeader: {suite.SessionID}}
	const message = `"messages":[{"role":"user","content":"` + suite.Text + `"}]`
	suite.Run(t, "testdata", []suite.Request{
		{Name: "completion", Header: header, Body: `{"model":"fermata",` + message + `}`},
		{Name: "stream", Header: header, Body: `{"model":"fermata","stream":true,"stream_options":{"include_usage":true},` + message + `}`},
	}, func(w *suite.World) suite.Door {
		return caller{&Completions{Config: openai.Config{
			Config: w.Config(), Providers: offered{}, PublicURL: "https://fermata.example",
		}}}
	})
}
