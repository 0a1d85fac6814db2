package ids_test

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/internal/ids"
)

func TestAnIDContainsItsTime(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	made, ok := ids.Time(ids.New("ses"))
	if after := time.Now(); !ok || made.Before(before) || made.After(after) {
		t.Errorf("made %v (%v), between %v and %v", made, ok, before, after)
	}
	for _, foreign := range []string{"", "ses_", "rnd_1", "ses_not-hexadecimal", "00000000000000000000000000000000"} {
		if made, ok := ids.Time(foreign); ok {
			t.Errorf("%q: %v", foreign, made)
		}
	}
}
