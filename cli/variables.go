package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/spelling"
)

// ourVariables is the prefix of Fermata's environment variables.
const ourVariables = "FERMATA_"

// others have the same prefix without being settings: the keys of providers, and the variables that
// Kubernetes sets for a Service named fermata.
var others = regexp.MustCompile(`^FERMATA_(PROVIDER_KEY|PORT|SERVICE_HOST|SERVICE_PORT)(_|$)`)

// checkVariables finds variables of environ ("name=value") with Fermata's prefix that are not settings: a
// mistyped name would otherwise leave a setting at its default without notice.
func checkVariables(program *kong.Application, environ []string) []diagnosis.Finding {
	var known []string
	for _, flags := range append(flagsOf(program.Node), program.Flags) {
		for _, flag := range flags {
			known = append(known, flag.Envs...)
		}
	}
	var unknown []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, ourVariables) && !slices.Contains(known, name) && !others.MatchString(name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	findings := make([]diagnosis.Finding, len(unknown))
	for i, name := range unknown {
		fix := "Correct its name, or unset it; `fermata config print` lists all of them."
		// The common prefix does not help to find a similar name.
		if near := spelling.Nearest(name[len(ourVariables):], ownParts(known)); near != "" {
			fix = "Did you mean " + ourVariables + strings.ToUpper(near) + "? " + fix
		}
		findings[i] = diagnosis.Warning("variable", name+" is set but is not a setting of Fermata: it has no effect", fix)
	}
	return findings
}

func ownParts(variables []string) []string {
	own := make([]string, len(variables))
	for i, name := range variables {
		own[i] = strings.ToLower(strings.TrimPrefix(name, ourVariables))
	}
	return own
}
