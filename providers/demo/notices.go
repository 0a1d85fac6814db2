package demo

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// cutShort is how a request came to its end where not by an answer: a limit, a no, a
// question that was passed over.
type cutShort struct{ kind, text string }

const (
	limitReached  = "LIMIT_REACHED"
	notApproved   = "VALIDATION_CANCELLED"
	notAnswered   = "COMMUNICATION_CANCELLED"
	enriched      = "DATA_ADDED"
	noticeClosing = "</fermata>"
)

var endKinds = map[string]bool{limitReached: true, notApproved: true, notAnswered: true}

// noticeKind is what the server says a block of its words is.
func noticeKind(text string) string {
	rest, ok := strings.CutPrefix(text, notice+` type="`)
	if !ok {
		return ""
	}
	kind, _, _ := strings.Cut(rest, `"`)
	return kind
}

// noticeWords is the text between Fermata's tags.
func noticeWords(text string) string {
	_, words, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(words), noticeClosing))
}

// endings are those in a turn before the last words of the person in it.
func endings(t *domain.Turn) []cutShort {
	var all []cutShort
	for i := range lastWords(t) {
		if text := t.Blocks[i].Text; endKinds[noticeKind(text)] {
			all = append(all, cutShort{noticeKind(text), noticeWords(text)})
		}
	}
	return all
}

// given are the results that a message brought along: those behind its words.
func given(t *domain.Turn) []step {
	var all []step
	for i := lastWords(t) + 1; i < len(t.Blocks); i++ {
		if text := t.Blocks[i].Text; noticeKind(text) == enriched {
			all = append(all, notedSteps(text)...)
		}
	}
	return all
}

// lastWords is where the person's last words stand in a turn; 0 if nowhere.
func lastWords(t *domain.Turn) int {
	for i := len(t.Blocks) - 1; i > 0; i-- {
		if b := &t.Blocks[i]; b.Kind == domain.BlockText && !strings.HasPrefix(b.Text, notice) {
			return i
		}
	}
	return 0
}

// notedSteps are the results in a block of the server's words, each under its heading.
func notedSteps(text string) []step {
	if !strings.HasPrefix(text, notice) {
		return nil
	}
	var out []step
	marks := heading.FindAllStringSubmatchIndex(text, -1)
	for n, m := range marks {
		end := len(text)
		if n+1 < len(marks) {
			end = marks[n+1][0]
		}
		body := strings.TrimSuffix(strings.TrimSpace(text[m[1]:end]), noticeClosing)
		out = append(out, step{name: text[m[2]:m[3]], outcome: outcome(text[m[4]:m[5]]), text: strings.TrimSpace(body)})
	}
	return out
}

// reportEnding says how the request before came to its end.
func (c *planner) reportEnding() {
	for _, e := range c.ended {
		switch e.kind {
		case limitReached:
			c.say(
				"(Your message before was not finished. The server says: %s)",
				"(Votre message précédent n'est pas allé au bout. Le serveur dit : %s)",
				oneLine(e.text),
			)
		case notApproved:
			c.say(
				"(You did not agree to what I had asked: nothing of it was done.)",
				"(Vous n'avez pas donné votre accord : rien n'a été fait.)",
			)
		case notAnswered:
			c.say("(My question has no answer; I leave it.)", "(Ma question reste sans réponse ; je la laisse.)")
		}
	}
}
