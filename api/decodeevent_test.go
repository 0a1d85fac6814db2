package api_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/fermata-dev/fermata/api"
)

// TestDecodedEventsAreComplete decodes every event that clients follow and encodes its body again.
func TestDecodedEventsAreComplete(t *testing.T) {
	for _, e := range events() {
		data, err := api.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range [][]byte{data, api.TypedEvent(string(e.Type), data)} {
			got, err := api.DecodeEvent(string(e.Type), body)
			if err != nil {
				t.Fatal(err)
			}
			fields := map[string]any{"session_seq": got.SessionSeq}
			switch {
			case got.Message != nil:
				fields["message"] = got.Message
			case got.Session != nil:
				fields["session"] = got.Session
			case got.Execution != nil:
				fields["execution"] = got.Execution
			case got.Approval != nil:
				fields["approval"] = got.Approval
			case got.Roundtrip != nil:
				fields["roundtrip"], fields["session_id"] = got.Roundtrip, e.SessionID
			case got.Phase != nil:
				compare(t, got.Phase, data)
				continue
			case got.Notice != nil:
				compare(t, got.Notice, data)
				continue
			default:
				continue // not followed
			}
			compare(t, fields, data)
		}
	}
}

func compare(t *testing.T, decoded any, data []byte) {
	t.Helper()
	again, err := json.Marshal(decoded)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(again, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("decoded %s\nof      %s", again, data)
	}
}

// Text of answers is in no log, and an unknown event has only its name.
func TestDecodeEventOfText(t *testing.T) {
	for name, want := range map[string]api.Event{
		"message.delta":     {Name: "message.delta", Text: &api.MessageDeltaData{MessageID: "msg_1", Kind: "text", Offset: 3, Text: "é"}},
		"message.discarded": {Name: "message.discarded", Discarded: &api.MessageDiscardedData{MessageID: "msg_1"}},
		"of a newer server": {Name: "of a newer server"},
	} {
		got, err := api.DecodeEvent(name, []byte(`{"message_id":"msg_1","kind":"text","offset":3,"text":"é"}`))
		if err != nil || !reflect.DeepEqual(got, &want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, data := range map[string]string{"message.delta": `[]`, "message.created": `{"session_seq":1}`, "session.status": `{"session":null}`} {
		if got, err := api.DecodeEvent(name, []byte(data)); err == nil {
			t.Errorf("%s of %s is decoded: %+v", name, data, got)
		}
	}
}

func BenchmarkDecodeEvent(b *testing.B) {
	for _, e := range events() {
		data, err := api.EncodeEvent(e)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(e.Type), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := api.DecodeEvent(string(e.Type), data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
