package harness

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Event is one event of a stream.
type Event struct {
	ID   int64
	Name string
	Data string
}

// Listen opens an event stream; events come on the channel until the test ends.
func (s *Server) Listen(path string, headers ...string) (events <-chan Event, stop func()) {
	s.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, "GET", s.URL+path, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	if s.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.Key)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatalf("listen: %v", err)
	}
	if response.StatusCode != 200 {
		s.T.Fatalf("listen: status %d", response.StatusCode)
	}
	out := make(chan Event, 10_000)
	go func() {
		defer close(out)
		defer response.Body.Close()
		scanner := bufio.NewScanner(response.Body)
		scanner.Buffer(nil, 4<<20)
		var e Event
		for scanner.Scan() {
			field, value, _ := strings.Cut(scanner.Text(), ": ")
			switch {
			case scanner.Text() == "" && e.Name != "":
				out <- e
				e = Event{}
			case field == "id":
				fmt.Sscan(value, &e.ID)
			case field == "event":
				e.Name = value
			case field == "data":
				e.Data += value
			}
		}
	}()
	s.T.Cleanup(cancel)
	return out, cancel
}
