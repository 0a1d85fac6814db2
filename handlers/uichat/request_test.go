package uichat

import "testing"

// A front end may send the newest message alone, as the AI SDK's documentation shows.
func TestAMessageAlone(t *testing.T) {
	const message = `{"id":"m1","role":"user","parts":[{"type":"text","text":"hello"}]}`
	for body, ok := range map[string]bool{
		`{"id":"c1","message":` + message + `}`:               true,
		`{"id":"c1","messages":[],"message":` + message + `}`: true,
		`{"id":"c1","messages":[` + message + `]}`:            true,
		`{"id":"c1"}`: false,
		`{"id":"c1","message":{"id":"m1","role":"assistant","parts":[]}}`: false,
	} {
		in, err := readInput([]byte(body))
		if (err == nil) != ok || ok && (in.user.ID != "m1" || in.pieces[0].Text != "hello") {
			t.Errorf("%s: %v", body, err)
		}
	}
}
