package remote

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestEventsAreRead(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	stream := ": hello\nretry: 2000\n\nid: 7\nevent: a\ndata: {\"n\":1}\n\nevent: b\ndata: one\ndata: two\r\n\n\n" +
		"id: 8\nevent: c\ndata: " + long + "\n\nevent: half\ndata: cut off"
	alive := 0
	events := newEventScanner(strings.NewReader(stream), func() { alive++ })
	var got []Event
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if len(got) != 3 || got[0].ID != 7 || got[0].Name != "a" || string(got[0].Data) != `{"n":1}` ||
		got[1].ID != 0 || string(got[1].Data) != "one\ntwo" || len(got[2].Data) != len(long) || alive == 0 {
		t.Fatalf("%d events, %d lines", len(got), alive)
	}
	tooLong := newEventScanner(strings.NewReader("data: "+strings.Repeat("x", maxLine+1)), func() {})
	if _, err := tooLong.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Fatalf("a line without end gave %v", err)
	}
}
