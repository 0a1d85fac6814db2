package demo

import (
	"regexp"
	"strings"
)

// captures are the parts of a request that a pattern names.
type captures map[string]string

// title is a name in a request, as a title.
func (g captures) title(key string) string { return title(unquoted(g[key])) }

func unquoted(text string) string { return strings.Trim(text, `"«»“” `) }

// maxParts bounds how much one message can ask for.
const maxParts = 10

var (
	polite = regexp.MustCompile(`(?i)^(?:please|hello|hey|hi|ok|can you|could you|would you|and|so|i want to|i would like to|i'd like to|` +
		`bonjour|salut|et|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|s'il te pla[iî]t|s'il vous pla[iî]t|je veux|je voudrais|j'aimerais)[, ]+`)
	politeEnd = regexp.MustCompile(`(?i),? (?:please|thanks|thank you|s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|merci)$`)
	between   = regexp.MustCompile(`(?i)[.!?]+\s+|\s*[;\n]\s*|,? (?:and then|then|et puis|puis|ensuite) `)
	again     = regexp.MustCompile(`(?i)^(?:again|once more|do it again|encore|encore une fois|refais-le)$`)
)

func clean(text string) string {
	text = strings.NewReplacer("’", "'", "\u00a0", " ", "\u202f", " ").Replace(text)
	text = strings.TrimRight(strings.TrimSpace(text), " .!?")
	for {
		shorter := politeEnd.ReplaceAllString(polite.ReplaceAllString(text, ""), "")
		if shorter == text {
			return text
		}
		text = shorter
	}
}

// ending is the punctuation that clean takes off: a text of the person's keeps it.
func ending(text string) string {
	text = strings.TrimSpace(text)
	return text[len(strings.TrimRight(text, " .!?")):]
}

func isAgain(text string) bool { return again.MatchString(clean(text)) }

var frenchWords = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:le|la|les|des|du|une?|mon|ma|mes|je|j|tu|est|et|pour|dans|avec|que|quoi|qui|bonjour|merci|aide|encore)(?:$|[^\pL])|[éèêàçùœ]`)
