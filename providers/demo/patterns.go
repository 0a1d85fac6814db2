package demo

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// pattern is one way of asking for something. Named captures are what the plan needs.
type pattern struct {
	fr   bool
	re   func() *regexp.Regexp
	plan func(c *planner, g captures)
	// free: the rest of the message belongs to it, however many sentences that is.
	free bool
}

// plans are what patterns.txt names.
var plans = map[string]func(c *planner, g captures){
	"help":            help,
	"greet":           greet,
	"welcome":         welcome,
	"automate":        automate,
	"journal":         journal,
	"takeNote":        takeNote,
	"sumUp":           sumUp,
	"draft":           draft,
	"askAgent":        askAgent,
	"noteInDocuments": noteInDocuments,
	"searchDocuments": searchDocuments,
	"publish":         publish,
	"showDocuments":   showDocuments,
	"showDocument":    showDocument,
	"showMore":        showMore,
	"searchData":      searchData,
	"overview":        overview,
	"createType":      createType,
	"createOf":        createOf,
	"fillIn":          fillIn,
	"rename":          rename,
	"setUnit":         setUnit,
	"createZones":     createZones,
	"createZone":      createZone,
	"deleteZone":      deleteZone,
	"deleteLast":      deleteLast,
	"changeLast":      changeLast,
	"track":           track,
	"addItem":         addItem,
	"checkItem":       checkItem,
	"recordValue":     recordValue,
	"showStats":       showStats,
	"showList":        showList,
	"askForm":         askForm,
	"askText":         askText,
	"askPlan":         askPlan,
	"askYesNo":        askYesNo,
	"askChoice":       askChoice,
}

//go:embed patterns.txt
var patternLines string

// patterns are tried in order.
var patterns = sync.OnceValue(func() []pattern {
	all, err := readPatterns(patternLines)
	if err != nil {
		panic(fmt.Sprintf("demo: read the patterns: %v", err)) // they are a part of the program
	}
	return all
})

var (
	fragmentLine = regexp.MustCompile(`^(\w+) = (.*)$`)
	patternLine  = regexp.MustCompile(`^(\w+) (en|fr) (free )?(.*)$`)
	fragmentName = regexp.MustCompile(`\{[a-zA-Z]+\}`)
)

// readPatterns reads the form of patterns.txt.
func readPatterns(text string) (all []pattern, err error) {
	fragments := map[string]string{}
	expand := func(expression string) string {
		return fragmentName.ReplaceAllStringFunc(expression, func(name string) string {
			whole, known := fragments[name]
			if !known {
				err = fmt.Errorf("there is no fragment %s", name)
			}
			return whole
		})
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if m := fragmentLine.FindStringSubmatch(line); m != nil {
			fragments["{"+m[1]+"}"] = expand(m[2])
			continue
		}
		m := patternLine.FindStringSubmatch(line)
		if m == nil || plans[m[1]] == nil {
			return nil, fmt.Errorf("%q names none of the plans", line)
		}
		all = append(all, pattern{fr: m[2] == "fr", re: compiled(expand(m[4])), plan: plans[m[1]], free: m[3] != ""})
	}
	return all, err
}

// compiled compiles when the first message comes that the expression may fit: a server without the demo provider
// has none of the three megabytes that all of them take.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + expression + `)$`) })
}

// find is the first pattern that fits, with its captures.
func find(text string) (*pattern, captures) {
	for i := range patterns() {
		p := &patterns()[i]
		re := p.re()
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		g := captures{}
		for j, name := range re.SubexpNames() {
			if m[j] != "" {
				g[strings.TrimSuffix(name, "2")] = strings.TrimSpace(m[j])
			}
		}
		return p, g
	}
	return nil, nil
}

// partsOf cuts a message into what it asks for one after the other.
func partsOf(request string) []string {
	whole := clean(request)
	if p, _ := find(whole); p != nil && p.free {
		return []string{whole + ending(request)}
	}
	var out []string
	for _, part := range between.Split(strings.TrimSpace(request), -1) {
		if part = clean(part); part != "" && len(out) < maxParts {
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		return []string{whole}
	}
	return out
}

// isFrench guesses the language of a text that fits no pattern.
func isFrench(text string) bool {
	if p, _ := find(clean(text)); p != nil {
		return p.fr
	}
	return frenchWords.MatchString(text)
}
