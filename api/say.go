package api

import "fmt"

// speech selects texts in the workspace's language. Both languages are side by side in the code, so that neither is
// forgotten.
type speech struct{ french bool }

func speechIn(language string) speech { return speech{french: language == "fr"} }

func (s speech) say(english, french string, args ...any) string {
	if s.french {
		return fmt.Sprintf(french, args...)
	}
	return fmt.Sprintf(english, args...)
}

// pick is say for phrases without gaps.
func (s speech) pick(words [2]string) string {
	if s.french {
		return words[1]
	}
	return words[0]
}

// quote puts a name in the language's quotation marks.
func (s speech) quote(name string) string {
	if s.french {
		return "« " + name + " »"
	}
	return "“" + name + "”"
}
