package outside

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// An unclassified error must never count as a call that did not happen: it would be repeated.
func TestFaultOf(t *testing.T) {
	refused := &Error{Fault: FaultRefused, Message: "The server refused it.", Cause: io.ErrUnexpectedEOF}
	for name, c := range map[string]struct {
		err  error
		want Fault
	}{
		"classified":         {refused, FaultRefused},
		"wrapped":            {fmt.Errorf("send: %w", refused), FaultRefused},
		"any other":          {io.ErrUnexpectedEOF, FaultUnknown},
		"no classification":  {&Error{Message: "It broke off."}, FaultUnknown},
		"not sent and known": {&Error{Fault: FaultNotSent}, FaultNotSent},
	} {
		if got := FaultOf(c.err); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if !errors.Is(refused, io.ErrUnexpectedEOF) || refused.Error() != "The server refused it." {
		t.Errorf("%v hides its cause, or shows it to people", refused)
	}
}
