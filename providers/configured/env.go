package configured

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

// Env lists the environment variables that a provider's api_key_env may name
// (FERMATA_PROVIDER_ENV), and where each may be sent. No other setting of a workspace can read the
// process environment.
type Env []envRule

// envRule is one entry: a name, or a prefix of names, and the origins that every workspace may send
// it to. Other origins require the operator.
type envRule struct {
	name    string
	prefix  bool
	origins []string
}

// Variables of the server itself hold its most sensitive secrets; only these are meant for
// providers.
const (
	ownEnvPrefix = "FERMATA_"
	keyEnvPrefix = "FERMATA_PROVIDER_KEY_"
)

// vendorEnv are the variables of the vendors' own tools.
var vendorEnv = []envRule{
	{name: "ANTHROPIC_API_KEY", origins: []string{"https://api.anthropic.com:443"}},
	{name: "OPENAI_API_KEY", origins: []string{"https://api.openai.com:443"}},
	{name: "GEMINI_API_KEY", origins: []string{"https://generativelanguage.googleapis.com:443"}},
	{name: "GOOGLE_API_KEY", origins: []string{"https://generativelanguage.googleapis.com:443"}},
	{name: "GROQ_API_KEY", origins: []string{"https://api.groq.com:443"}},
	{name: "DEEPSEEK_API_KEY", origins: []string{"https://api.deepseek.com:443"}},
	{name: "MISTRAL_API_KEY", origins: []string{"https://api.mistral.ai:443"}},
	{name: "PERPLEXITY_API_KEY", origins: []string{"https://api.perplexity.ai:443"}},
	{name: "OPENROUTER_API_KEY", origins: []string{"https://openrouter.ai:443"}},
	{name: "XAI_API_KEY", origins: []string{"https://api.x.ai:443"}},
	{name: "TOGETHER_API_KEY", origins: []string{"https://api.together.xyz:443"}},
	{name: "FIREWORKS_API_KEY", origins: []string{"https://api.fireworks.ai:443"}},
	{name: "CEREBRAS_API_KEY", origins: []string{"https://api.cerebras.ai:443"}},
	{name: "NVIDIA_API_KEY", origins: []string{"https://integrate.api.nvidia.com:443"}},
}

var envEntry = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)(\*?)$`)

// ParseEnv parses the operator's list: NAME, PREFIX* or NAME@https://host[:port]. The default is
// the vendors' names, and those with the prefix FERMATA_PROVIDER_KEY_.
func ParseEnv(entries []string) (Env, error) {
	var list Env
	for entry := range strings.SplitSeq(strings.Join(entries, ","), ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		rule, err := parseEnvRule(entry)
		if err != nil {
			return nil, err
		}
		list = append(list, rule)
	}
	if len(list) == 0 {
		list = append(slices.Clone(vendorEnv), envRule{name: keyEnvPrefix, prefix: true})
	}
	return list, nil
}

func parseEnvRule(entry string) (envRule, error) {
	name, place, tied := strings.Cut(entry, "@")
	parts := envEntry.FindStringSubmatch(name)
	if parts == nil {
		return envRule{}, fmt.Errorf("FERMATA_PROVIDER_ENV: %q is neither NAME, PREFIX* nor NAME@https://host", name)
	}
	rule := envRule{name: parts[1], prefix: parts[2] == "*"}
	if isOwnEnv(rule.name) {
		return envRule{}, fmt.Errorf(
			"FERMATA_PROVIDER_ENV: %s is the server's own; of the FERMATA_ variables only %s* are for providers",
			name,
			keyEnvPrefix,
		)
	}
	if !tied {
		for _, vendor := range vendorEnv {
			if vendor.name == rule.name && !rule.prefix {
				rule.origins = vendor.origins
			}
		}
		return rule, nil
	}
	u, err := url.Parse(place)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		(u.Scheme != "https" && u.Scheme != "http") {
		return envRule{}, fmt.Errorf("FERMATA_PROVIDER_ENV: %s@ must be followed by a host like https://api.example.com", name)
	}
	rule.origins = []string{egress.Origin(u)}
	return rule, nil
}

// isOwnEnv ignores case, because some systems do.
func isOwnEnv(name string) bool {
	upper := strings.ToUpper(name)
	return strings.HasPrefix(upper, ownEnvPrefix) && !strings.HasPrefix(upper, keyEnvPrefix)
}

// rules returns the rules for a name. None: it is not for providers.
func (list Env) rules(name string) []envRule {
	if strings.HasSuffix(name, "*") || !envEntry.MatchString(name) || isOwnEnv(name) {
		return nil
	}
	var found []envRule
	for _, rule := range list {
		if rule.name == name || rule.prefix && strings.HasPrefix(name, rule.name) {
			found = append(found, rule)
		}
	}
	return found
}

// goesTo reports whether every workspace may send a variable to an origin.
func (list Env) goesTo(name, origin string) bool {
	return slices.ContainsFunc(list.rules(name), func(r envRule) bool { return slices.Contains(r.origins, origin) })
}

// envGrant is the stored permission of the operator to send a variable to an origin.
func envGrant(name, origin string) string { return name + "@" + origin }

// check returns an error if a provider may not use a variable. The error does not depend on whether
// the variable exists, which must not be revealed.
func (list Env) check(name, origin, grant string) error {
	switch {
	case len(list.rules(name)) == 0:
		return domain.Invalid(
			"/config/api_key_env",
			"not_listed",
			"%s is not for providers: FERMATA_PROVIDER_ENV lists the variables that are. Choose one of them, or enter the key itself.",
			name,
		)
	case origin == "" || !list.goesTo(name, origin) && grant != envGrant(name, origin):
		return domain.Invalid("/config/api_key_env", "other_host",
			"%s must not be sent to this base URL: the operator decides where a variable of the server is sent "+
				"(FERMATA_PROVIDER_ENV=%s@https://host, or a provider configured with the root key). Enter the key itself.", name, name)
	}
	return nil
}
