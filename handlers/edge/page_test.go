package edge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// countTo reads the numbers up to n by pages, with their number as the cursor.
func countTo(n int) func(after, limit int) ([]int, string, error) {
	return func(after, limit int) ([]int, string, error) {
		var out []int
		for i := after + 1; i <= n && len(out) < limit; i++ {
			out = append(out, i)
		}
		if after+len(out) == n {
			return out, "", nil
		}
		return out, strconv.Itoa(after + len(out)), nil
	}
}

// TestPageOfJSONKeepsItsBound verifies that a page is limited by the size of its JSON, which may be six times that
// of the text, and that its cursor continues where the page ends.
func TestPageOfJSONKeepsItsBound(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		pages int
	}{
		"short": {"a", 1}, "one MiB each": {strings.Repeat("a", 1<<20), 4}, "grows as JSON": {strings.Repeat("<", 1<<20), 10},
		"larger than a page": {strings.Repeat("a", domain.PageBytes), 10},
	} {
		read, after, seen, pages := countTo(10), 0, 0, 0
		for ; ; pages++ {
			body, err := encodePage(200, func(i int) any { return fmt.Sprint(i, c.text) },
				func(limit int) ([]int, string, error) { return read(after, limit) }, func() (*Hold, error) { return nil, nil })
			if err != nil {
				t.Fatal(err)
			}
			var page struct {
				Data       []string `json:"data"`
				NextCursor *string  `json:"next_cursor"`
			}
			if err := json.Unmarshal(body, &page); err != nil {
				t.Fatal(err)
			}
			if len(page.Data) == 0 || len(page.Data) > 1 && len(body) > domain.PageBytes {
				t.Fatalf("%s: a page of %d items has %d bytes", name, len(page.Data), len(body))
			}
			for _, item := range page.Data {
				if seen++; !strings.HasPrefix(item, fmt.Sprint(seen, " ")[:1]) {
					t.Fatalf("%s: item %d is %.5s", name, seen, item)
				}
			}
			if page.NextCursor == nil {
				break
			}
			after, _ = strconv.Atoi(*page.NextCursor)
		}
		if seen != 10 || pages+1 != c.pages {
			t.Errorf("%s: %d items on %d pages, want 10 on %d", name, seen, pages+1, c.pages)
		}
	}
}
