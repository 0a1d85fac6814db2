package machine

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestACallInWords: what a model makes long is cut where people read it, and steers nothing there.
func TestACallInWords(t *testing.T) {
	if got := callInWords(domain.ClientCall{Name: "get_weather", Params: []byte(`{"city":"Paris"}`)}); got != `get_weather {"city":"Paris"}` {
		t.Errorf("it reads %q", got)
	}
	long := callInWords(domain.ClientCall{Name: "f", Params: []byte(`"` + strings.Repeat("\u202e\n", 1<<20) + `"`)})
	if len(long) > 300 || strings.ContainsAny(long, "\u202e\n") {
		t.Errorf("%d bytes: %.80q", len(long), long)
	}
}
