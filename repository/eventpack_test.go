package repository_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/repository"
)

// TestPackedEventsCanAlwaysBeRead: what an earlier version packed is in databases. Its
// dictionary never changes: a better one is a second one, with a mark of its own.
func TestPackedEventsCanAlwaysBeRead(t *testing.T) {
	if sum := sha256.Sum256(repository.DictionaryForTest()); hex.EncodeToString(sum[:]) != "44431c5e4012d07a84f38bed88cb45158c8fdc365b48933a9d523c5aca28c87d" {
		t.Errorf("events.dict has changed (%x): nothing that was packed with it can be read any more", sum)
	}
	old, err := hex.DecodeString("0128b52ffd0100015d01004031317d1ec3bc227d0a00eb772600baa3a171208a1532015f450237c58709728618f276d68134d3ed8415")
	if err != nil {
		t.Fatal(err)
	}
	got, err := repository.UnpackForTest(old)
	if err != nil || string(bytes.Join(got, []byte("|"))) != goldenEvents {
		t.Errorf("an old row gives %q, %v", got, err)
	}
}

const goldenEvents = `{"session_seq":12,"session_id":"ses_1","from":"IDLE","phase":"CALLING_AI","status":"running","event":"UserMessageSent"}|{"noun":"entry","id":"ent_ü"}`

// TestWhatIsPackedComesBack byte for byte, and is short for what every round has.
func TestWhatIsPackedComesBack(t *testing.T) {
	for _, events := range [][]string{
		{"{}"}, {`{"a":1}`, "{}", `{"b":"\n\\u001e"}`}, {strings.Repeat(`{"long":"é"}`, 10_000), "{}"}, {"", ""}, slices.Repeat([]string{`{"x":1}`}, 500),
	} {
		packed, err := repository.PackForTest(texts(events))
		if err != nil {
			t.Fatal(err)
		}
		got, err := repository.UnpackForTest(packed)
		if err != nil || !slices.EqualFunc(got, events, func(g []byte, e string) bool { return string(g) == e }) {
			t.Errorf("%.60q came back as %.60q, %v", events, got, err)
		}
	}
	packed, err := repository.PackForTest(texts(strings.Split(goldenEvents, "|")))
	if err != nil || len(packed)*2 > len(goldenEvents) {
		t.Errorf("%d bytes are packed in %d (%v)", len(goldenEvents), len(packed), err)
	}
}

// TestWhatCannotBePacked: what would come back as two events is refused when it is
// written, and what is broken when it is read.
func TestWhatCannotBePacked(t *testing.T) {
	if packed, err := repository.PackForTest([][]byte{[]byte("{\"a\":\"\x1e\"}")}); err == nil {
		t.Errorf("a text with a separator in it was packed: %x", packed)
	}
	packed, err := repository.PackForTest(texts([]string{`{"a":"some text that the dictionary has not"}`}))
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range [][]byte{packed[:1], packed[:len(packed)/2], {1, 0xff, 0xff}, {2, packed[1]}, nil} {
		if got, err := repository.UnpackForTest(broken); err == nil {
			t.Errorf("%x was read as %q", broken, got)
		}
	}
	if got, err := repository.UnpackForTest(packed); err != nil || len(got) != 1 { // a failure before leaves nothing behind
		t.Errorf("after it, %x gives %q, %v", packed, got, err)
	}
}

func texts(events []string) [][]byte {
	out := make([][]byte, len(events))
	for i, e := range events {
		out[i] = []byte(e)
	}
	return out
}

// FuzzPack: whatever has no separator in it comes back.
func FuzzPack(f *testing.F) {
	f.Add([]byte(`{"a":1}`), []byte(goldenEvents))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		packed, err := repository.PackForTest([][]byte{a, b})
		if bytes.IndexByte(a, 0x1e) >= 0 || bytes.IndexByte(b, 0x1e) >= 0 {
			if err == nil {
				t.Fatal("a separator was packed")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := repository.UnpackForTest(packed)
		if err != nil || len(got) != 2 || !bytes.Equal(got[0], a) || !bytes.Equal(got[1], b) {
			t.Fatalf("%q and %q came back as %q, %v", a, b, got, err)
		}
	})
}
