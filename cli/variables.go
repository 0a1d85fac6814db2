package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// ourVariables begin like this.
const ourVariables = "FERMATA_"

// others are named alike and are no settings: the keys of providers, and what Kubernetes sets
// in every container beside a Service called fermata, which nobody mistyped.
var others = regexp.MustCompile(`^FERMATA_(PROVIDER_KEY|PORT|SERVICE_HOST|SERVICE_PORT)(_|$)`)

// CheckVariables finds those of environ ("name=value") that are named like settings of Fermata
// and are none: one letter too many would otherwise leave a server with its default, and
// nobody the wiser.
func CheckVariables(program *kong.Application, environ []string) []diagnosis.Finding {
	known := map[string]bool{}
	visitNodes(program.Node, func(node *kong.Node) {
		for _, flag := range node.Flags {
			for _, name := range flag.Envs {
				known[name] = true
			}
		}
	})
	var unknown []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, ourVariables) && !known[name] && !others.MatchString(name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	findings := make([]diagnosis.Finding, len(unknown))
	for i, name := range unknown {
		findings[i] = diagnosis.Warning("variable", name+" is set and is no setting of Fermata: it does nothing",
			"Correct its name, or unset it; `fermata config print` lists those there are.")
	}
	return findings
}

func visitNodes(node *kong.Node, visit func(*kong.Node)) {
	visit(node)
	for _, child := range node.Children {
		visitNodes(child, visit)
	}
}
