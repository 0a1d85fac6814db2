package configured

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// No list opens these, whatever the operator wrote on it.
var neverForProviders = []string{
	"FERMATA_ROOT_KEY", "fermata_root_key", "Fermata_Root_Key", "FERMATA_SECRET_KEY", "FERMATA_DATABASE_URL", "FERMATA_DATABASE_DIRECT_URL",
	"FERMATA_KEY", "FERMATA_PROVIDER_ENV", "FERMATA_PROVIDER_KE", "FERMATA_", "FERMATA_ANYTHING_NEW", "FERMATA_ROOT_KEY*", "", "*",
	"FERMATA_PROVIDER_KEY_*", "$FERMATA_ROOT_KEY", "OPENAI_API_KEY=", "OPENAI_API_KEY\n", "OPENAI API KEY", "OPENAI_API_KEY@https://api.openai.com:443",
}

func TestVariablesThatAreNotForProviders(t *testing.T) {
	usual := append([]string{
		"PATH", "HOME", "PGPASSWORD", "DATABASE_URL", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "openai_api_key", "OPENAI_API_KEY_2", "XOPENAI_API_KEY",
	}, neverForProviders...)
	for given, forbidden := range map[string][]string{
		"": usual, ",,": usual,
		"*": neverForProviders, "F*,f*": neverForProviders, "OTHER": append(usual, "OPENAI_API_KEY", "FERMATA_PROVIDER_KEY_A"),
	} {
		list, err := ParseEnv([]string{given})
		if err != nil && given == "*" {
			continue // a list of everything is refused as a whole
		}
		if err != nil {
			t.Fatalf("%q: %v", given, err)
		}
		for _, name := range forbidden {
			err := list.check(name, "https://api.openai.com:443", envGrant(name, "https://api.openai.com:443"))
			if domain.ErrorCode(err) != domain.CodeInvalid {
				t.Errorf("%q lets a provider name %q: %v", given, name, err)
			}
		}
	}
}

func TestWhereVariablesGo(t *testing.T) {
	const mine, other = "https://mine.example:443", "https://other.example:443"
	list, err := ParseEnv([]string{"OPENAI_API_KEY", "TIED@https://Mine.example,FREE", "TEAM_*@https://mine.example:443/", "FERMATA_PROVIDER_KEY_*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, origin, grant string
		goes                bool
	}{
		{"OPENAI_API_KEY", "https://api.openai.com:443", "", true},
		{"OPENAI_API_KEY", "http://api.openai.com:80", "", false},
		{"OPENAI_API_KEY", "https://api.openai.com:8443", "", false},
		{"OPENAI_API_KEY", other, "", false},
		{"OPENAI_API_KEY", other, "OPENAI_API_KEY@" + other, true},
		{"OPENAI_API_KEY", other, "OPENAI_API_KEY@" + mine, false},
		{"OPENAI_API_KEY", other, "FREE@" + other, false},
		{"TIED", mine, "", true},
		{"TIED", other, "", false},
		{"TEAM_A", mine, "", true},
		{"TEAM_A", "", "TEAM_A@", false},
		{"FREE", mine, "", false},
		{"FREE", mine, "FREE@" + mine, true},
		{"FERMATA_PROVIDER_KEY_A", mine, "", false},
		{"FERMATA_PROVIDER_KEY_A", mine, "FERMATA_PROVIDER_KEY_A@" + mine, true},
	} {
		if err := list.check(c.name, c.origin, c.grant); (err == nil) != c.goes {
			t.Errorf("%s to %s with %q: %v", c.name, c.origin, c.grant, err)
		}
	}
}

func TestListsOfVariablesThatAreRefused(t *testing.T) {
	for _, given := range []string{
		"FERMATA_ROOT_KEY", "fermata_secret_key", "FERMATA_*", "FERMATA_ROOT_KEY@https://mine.example", "A B", "A-B", "1A", "A**", "*",
		"A@mine.example", "A@ftp://mine.example", "A@https://", "A@https://u:p@mine.example", "A@https://mine.example/v1", "A@https://mine.example?x", "@https://mine.example",
	} {
		if list, err := ParseEnv([]string{given}); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q was taken: %+v, %v", given, list, err)
		}
	}
}
