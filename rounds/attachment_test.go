package rounds

import (
	"fmt"
	"testing"
)

// TestManyFilesCostByTheirNumber: a body names as many files as its bytes allow, before their
// number is refused.
func TestManyFilesCostByTheirNumber(t *testing.T) {
	piece := func(i int) Piece { return Piece{File: &Attachment{Sum: fmt.Sprintf("%064d", i), Name: "a"}} }
	cost := func(n int) float64 {
		var pieces []Piece
		for i := range n {
			pieces = append(pieces, piece(i), piece(i)) // each a second time
		}
		if got := len(Attachments(pieces)); got != n {
			t.Fatalf("%d files are taken for %d", n, got)
		}
		return testing.AllocsPerRun(3, func() { Attachments(pieces) })
	}
	if few, many := cost(100), cost(1000); many > 20*few {
		t.Errorf("ten times as many files cost %.0f allocations, and not %.0f", many, 10*few)
	}
}
