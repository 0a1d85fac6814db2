package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/spelling"
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
		mend := "Correct its name, or unset it; `fermata config print` lists those there are."
		// What they all have in common says nothing of what was meant.
		if near := spelling.Nearest(name[len(ourVariables):], ownParts(known)); near != "" {
			mend = "Did you mean " + ourVariables + strings.ToUpper(near) + "? " + mend
		}
		findings[i] = diagnosis.Warning("variable", name+" is set and is no setting of Fermata: it does nothing", mend)
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
