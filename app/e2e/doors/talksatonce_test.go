package doors

import (
	"fmt"
	"sync"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// Talks of one workspace that are asked something at once take the slot from each other in the middle
// of their rounds. Each has its answer when the others have theirs, and none waits until another one
// is closed or inactive (five minutes).
func TestTalksAtOnce(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s, key := newChatServer(t, db, `[{"delay_ms": 400, "answer": {"text": "Yes."}}]`)
		var at sync.WaitGroup
		for i := range 3 {
			at.Go(func() {
				said := []string{fmt.Sprintf("talk %d", i)}
				for range 2 {
					a := s.chat(key, nil, said...)
					if a.status != 200 || a.text != "Yes." {
						t.Errorf("talk %d: %+v", i, a)
						return
					}
					said = append(said, "Yes.", "go on")
				}
			})
		}
		at.Wait()
	})
}
