// Command longtask is a sample service for long-running tasks: it works for a while, reports
// its progress, and calls back with the result. See docs/tasks.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// order is what Fermata sends; a cancellation has the task's id and a reason.
type order struct {
	TaskID      string          `json:"task_id"`
	CallbackURL string          `json:"callback_url"`
	Params      json.RawMessage `json:"params"`
}

type service struct {
	signer    *webhooks.Webhook
	takes     time.Duration
	cancelled sync.Map // by the task's id
}

func main() {
	listen := flag.String("listen", "127.0.0.1:9090", "address to listen on")
	takes := flag.Duration("for", time.Minute, "how long the work takes")
	flag.Parse()
	signer, err := webhooks.NewWebhook(os.Getenv("SIGNING_SECRET"))
	if err != nil {
		log.Fatal("SIGNING_SECRET is the signing_secret that was shown when the connector was made: ", err)
	}
	s := &service{signer: signer, takes: *takes}
	log.Printf("waiting for orders on %s", *listen)
	log.Fatal((&http.Server{Addr: *listen, Handler: s, ReadHeaderTimeout: 5 * time.Second}).ListenAndServe())
}

// ServeHTTP accepts an order signed by Fermata. The work continues after the response.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var o order
	if err != nil || s.signer.Verify(body, r.Header) != nil || json.Unmarshal(body, &o) != nil {
		http.Error(w, "this was not signed by the Fermata that I know", http.StatusUnauthorized)
		return
	}
	if r.URL.Path == "/cancel" {
		s.cancelled.Store(o.TaskID, true)
	} else {
		go s.work(o)
	}
	w.WriteHeader(http.StatusAccepted)
}

// work simulates ten steps and reports the progress after each.
func (s *service) work(o order) {
	for step := 1; step < 10; step++ {
		time.Sleep(s.takes / 10)
		if _, yes := s.cancelled.LoadAndDelete(o.TaskID); yes {
			return
		}
		s.report(o, step, fmt.Sprintf(`{"task_id": %q, "status": "running", "progress": {"percent": %d, "text": "step %d of 10"}}`, o.TaskID, 10*step, step))
	}
	time.Sleep(s.takes / 10)
	s.report(o, 10, fmt.Sprintf(`{"task_id": %q, "status": "succeeded", "result": {"done": %s}}`, o.TaskID, o.Params))
}

// report repeats the callback until Fermata has accepted it. A repeated id counts once.
func (s *service) report(o order, step int, body string) {
	for try := range 60 {
		id, at := fmt.Sprintf("%s-%d", o.TaskID, step), time.Now()
		signature, _ := s.signer.Sign(id, at, []byte(body))
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, o.CallbackURL, strings.NewReader(body))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Webhook-Id", id)
		request.Header.Set("Webhook-Timestamp", fmt.Sprint(at.Unix()))
		request.Header.Set("Webhook-Signature", signature)
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode < 500 {
				return // accepted, or no longer needed
			}
		}
		time.Sleep(time.Duration(try+1) * time.Second)
	}
}
