package acp

import (
	"strings"
	"testing"
)

// spoken writes what an editor is told: pieces, and a bar before each text that begins anew.
type spoken struct {
	speech
	out strings.Builder
}

func (s *spoken) add(more string, anew bool) {
	if anew {
		s.out.WriteString("|")
	}
	s.out.WriteString(more)
}

// Each character of an answer is told once, whatever becomes of the call that brought it.
func TestSpeech(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(s *spoken)
		want string
	}{
		"piece by piece": {func(s *spoken) {
			s.add(s.piece("a", 0, "One "))
			s.add(s.piece("a", 4, "two."))
			s.add(s.whole("a", "One two.", false))
		}, "One two."},
		"as a whole": {func(s *spoken) { s.add(s.whole("a", "One.", false)) }, "One."},
		"a gap": {func(s *spoken) {
			s.add(s.piece("a", 0, "One "))
			s.add(s.piece("a", 8, "three."))
			s.add(s.whole("a", "One two three.", false))
		}, "One two three."},
		"told twice": {func(s *spoken) {
			s.add(s.piece("a", 0, "One two"))
			s.add(s.piece("a", 0, "One two three"))
			s.add(s.piece("a", 4, "two"))
		}, "One two three"},
		"letters of more bytes than one": {func(s *spoken) {
			s.add(s.piece("a", 0, "Été "))
			s.add(s.piece("a", 4, "à Nîmes"))
			s.add(s.piece("a", 6, "Nîmes."))
		}, "Été à Nîmes."},
		"made again, the same": {func(s *spoken) {
			s.add(s.piece("a", 0, "One two"))
			s.add(s.piece("b", 0, "One "))
			s.add(s.piece("b", 4, "two three"))
			s.add(s.whole("b", "One two three.", false))
		}, "One two three."},
		"made again, another": {func(s *spoken) {
			s.add(s.piece("a", 0, "One two"))
			s.add(s.piece("b", 0, "One "))
			s.add(s.piece("b", 4, "or three"))
			s.add(s.whole("b", "One or three.", false))
		}, "One two|One or three."},
		"made again, shorter": {func(s *spoken) {
			s.add(s.piece("a", 0, "One two"))
			s.add(s.whole("b", "One", false))
		}, "One two|One"},
		"cut, and kept a little shorter": {func(s *spoken) {
			s.add(s.piece("a", 0, "One two"))
			s.add(s.whole("a", "One", true))
		}, "One two"},
		"pieces that come late": {func(s *spoken) {
			s.add(s.whole("a", "One.", false))
			s.add(s.piece("a", 0, "One."))
		}, "One."},
		"an object is told when it was read": {func(s *spoken) {
			s.add(s.piece("a", 0, "\n{"))
			s.add(s.piece("a", 2, `"text": "One"}`))
			s.add(s.whole("a", "One", false))
		}, "One"},
		"the next message": {func(s *spoken) {
			s.add(s.piece("a", 0, "One"))
			s.add(s.whole("a", "One", false))
			s.add(s.piece("b", 0, "Two"))
			s.add(s.whole("b", "Two", false))
		}, "OneTwo"},
		"what became of nothing": {func(s *spoken) {
			s.add(s.piece("a", 0, "One"))
			s.over()
			s.add(s.piece("b", 0, "Two"))
		}, "OneTwo"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spoken{}
			c.say(s)
			if got := s.out.String(); got != c.want {
				t.Errorf("it is told %q, and should be %q", got, c.want)
			}
		})
	}
}
