package rounds

import (
	"strings"
	"testing"
)

// spoken writes what an editor receives: deltas, and a bar before each text that was restarted.
type spoken struct {
	TextMerger
	out strings.Builder
}

func (s *spoken) add(more string, restarted bool) {
	if restarted {
		s.out.WriteString("|")
	}
	s.out.WriteString(more)
}

// Each character of an answer is sent once, even if its call is repeated.
func TestText(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(s *spoken)
		want string
	}{
		"piece by piece": {func(s *spoken) {
			s.add(s.Add("a", 0, "One "))
			s.add(s.Add("a", 4, "two."))
			s.add(s.Complete("a", "One two.", false))
		}, "One two."},
		"as a whole": {func(s *spoken) { s.add(s.Complete("a", "One.", false)) }, "One."},
		"a gap": {func(s *spoken) {
			s.add(s.Add("a", 0, "One "))
			s.add(s.Add("a", 8, "three."))
			s.add(s.Complete("a", "One two three.", false))
		}, "One two three."},
		"sent twice": {func(s *spoken) {
			s.add(s.Add("a", 0, "One two"))
			s.add(s.Add("a", 0, "One two three"))
			s.add(s.Add("a", 4, "two"))
		}, "One two three"},
		"letters of more bytes than one": {func(s *spoken) {
			s.add(s.Add("a", 0, "Été "))
			s.add(s.Add("a", 4, "à Nîmes"))
			s.add(s.Add("a", 6, "Nîmes."))
		}, "Été à Nîmes."},
		"made again, the same": {func(s *spoken) {
			s.add(s.Add("a", 0, "One two"))
			s.add(s.Add("b", 0, "One "))
			s.add(s.Add("b", 4, "two three"))
			s.add(s.Complete("b", "One two three.", false))
		}, "One two three."},
		"made again, another": {func(s *spoken) {
			s.add(s.Add("a", 0, "One two"))
			s.add(s.Add("b", 0, "One "))
			s.add(s.Add("b", 4, "or three"))
			s.add(s.Complete("b", "One or three.", false))
		}, "One two|One or three."},
		"made again, shorter": {func(s *spoken) {
			s.add(s.Add("a", 0, "One two"))
			s.add(s.Complete("b", "One", false))
		}, "One two|One"},
		"cut, and kept a little shorter": {func(s *spoken) {
			s.add(s.Add("a", 0, "One two"))
			s.add(s.Complete("a", "One", true))
		}, "One two"},
		"pieces that come late": {func(s *spoken) {
			s.add(s.Complete("a", "One.", false))
			s.add(s.Add("a", 0, "One."))
		}, "One."},
		"an object is sent when it is complete": {func(s *spoken) {
			s.add(s.Add("a", 0, "\n{"))
			s.add(s.Add("a", 2, `"text": "One"}`))
			s.add(s.Complete("a", "One", false))
		}, "One"},
		"the next message": {func(s *spoken) {
			s.add(s.Add("a", 0, "One"))
			s.add(s.Complete("a", "One", false))
			s.add(s.Add("b", 0, "Two"))
			s.add(s.Complete("b", "Two", false))
		}, "OneTwo"},
		"a client that has the beginning": {func(s *spoken) {
			s.Resume("One two")
			s.add(s.Add("a", 0, "One "))
			s.add(s.Complete("a", "One two three.", false))
		}, " three."},
		"a text that became no message": {func(s *spoken) {
			s.add(s.Add("a", 0, "One"))
			s.Reset()
			s.add(s.Add("b", 0, "Two"))
		}, "OneTwo"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spoken{}
			c.say(s)
			if got := s.out.String(); got != c.want {
				t.Errorf("it receives %q, and should be %q", got, c.want)
			}
		})
	}
}
