package responses

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
type caller struct{ *Door }

func (c caller) Serve(w http.ResponseWriter, r *http.Request, body []byte) error {
	return c.Door.Serve(w, r, suite.Caller, body)
}

// Each story has the same bytes on the wire as before.
func TestTranscripts(t *testing.T) {
	header := http.Header{openai.SessionHeader: {suite.SessionID}}
	const (
		input = `"input":"` + suite.Text + `"`
		sent  = `{"model":"fermata"}`
	)
	suite.Run(t, "testdata", []suite.Request{
		{Name: "response", Header: header, Body: `{"model":"fermata",` + input + `}`, Metadata: sent},
		{Name: "background", Header: header, Body: `{"model":"fermata","background":true,` + input + `}`, Metadata: sent},
		{Name: "stream", Header: header, Body: `{"model":"fermata","stream":true,` + input + `}`, Metadata: sent},
	}, func(w *suite.World) suite.Door {
		return caller{&Door{Config: Config{
			Config:   openai.Config{Config: w.Config(), Providers: offered{}, PublicURL: "https://fermata.example"},
			Requests: w,
		}}}
	})
}
