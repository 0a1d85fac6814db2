package suite

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// Request is a request that sends the user message.
type Request struct {
	Name   string
	Header http.Header
	Body   string
	// Metadata is what the adapter stores of the request, as JSON; "" for none.
	Metadata string
}

// Door is an adapter of a protocol.
type Door interface {
	Serve(w http.ResponseWriter, r *http.Request, body []byte) error
	Refuse(w http.ResponseWriter, f *api.Failure)
}

// patience is how long a client waits for the end of a round.
const patience = 5 * time.Minute

// Run compares what a door writes for each request and each story with the files of a folder, one for
// each story: to a client that is there from the beginning, to one that repeats its request during the
// round, and to one that repeats it after the round.
func Run(t *testing.T, folder string, requests []Request, door func(*World) Door) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			var out strings.Builder
			for _, next := range s.steps {
				out.WriteString(next.text + "\n")
			}
			for i := range requests {
				for _, moment := range []string{"from the beginning", "repeated during the round", "repeated after the round"} {
					fmt.Fprintf(&out, "\n=== %s, %s\n", requests[i].Name, moment)
					synctest.Test(t, func(t *testing.T) { out.WriteString(play(t, s.steps, &requests[i], moment, door)) })
				}
			}
			golden.Check(t, filepath.Join(folder, strings.ReplaceAll(s.name, " ", "_")+".txt"), out.String())
		})
	}
}

// wait lets virtual time pass: every story is played in a bubble.
func wait(d time.Duration) { time.Sleep(d) }

// play returns what a door writes.
func play(t *testing.T, steps []step, in *Request, moment string, door func(*World) Door) string {
	t.Helper()
	broker := stream.New(stream.Config{})
	if err := broker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := newWorld(broker, steps)
	if moment != "from the beginning" {
		message := &domain.NewMessage{
			Rich: domain.RichContent{LinearText: Text, Segments: []domain.Segment{{Type: domain.SegmentText, Text: Text}}},
			By:   Caller.Author(), History: &domain.HistoryKey{Request: in.Metadata},
		}
		if _, err := w.send(message); err != nil {
			t.Fatal(err)
		}
		wait(time.Duration(len(steps)/2)*gather + gather/2)
		if moment == "repeated after the round" {
			<-w.played
			wait(gather)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(in.Body))
	maps.Copy(r.Header, in.Header)
	out := httptest.NewRecorder()
	d := door(w)
	if err := d.Serve(out, r, []byte(in.Body)); err != nil {
		d.Refuse(out, Failure(err))
	}
	<-w.played
	if err := broker.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if w.err != nil {
		t.Error(w.err)
	}
	return wireText(out)
}

// Config returns the dependencies of an adapter that uses the world.
func (w *World) Config() rounds.Config {
	return rounds.Config{
		Commands: w, Record: w, Approvals: w, Histories: w, Names: rounds.NewSessionNames(clock.System), Catalogue: w,
		Follow: w.Follow, StillAllowed: w.Still, Clock: clock.System, NewID: w.NewID,
		API: rounds.API{Failure: Failure, Decision: decisionOf},
	}
}

// Failure converts an error to what a client may see of it.
func Failure(err error) *api.Failure {
	code := domain.ErrorCode(err)
	return &api.Failure{Status: http.StatusConflict, Code: code, Message: err.Error(), RequestID: "req_1"}
}

// shownHeaders are the headers that a transcript has.
var shownHeaders = []string{
	"Content-Type", "Cache-Control", "X-Accel-Buffering", "X-Vercel-Ai-Ui-Message-Stream", "X-Fermata-Session", "X-Should-Retry",
}

// wireText returns a response as text: its status, its headers and its body.
func wireText(out *httptest.ResponseRecorder) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", out.Code)
	for _, name := range shownHeaders {
		if value := out.Header().Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String() + "\n" + out.Body.String()
}
