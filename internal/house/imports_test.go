package house

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/fermata-dev/fermata"

// common may be imported from everywhere.
var common = []string{"internal/clock", "internal/lifecycle", "internal/ids", "internal/dsn", "internal/egress", "internal/exactjson", "internal/jsonbody", "internal/cache", "internal/breaker", "internal/schema", "internal/shorten", "internal/secretfile", "internal/seal", "internal/diagnosis", "internal/spelling", "internal/sse", "internal/traces", "internal/visible"}

// table lists the packages that each package may import. A package without an entry fails the test, so that
// new packages are placed on purpose.
var table = map[string][]string{
	"":                                {},
	"domain":                          {},
	"domain/ai":                       {"domain"},
	"domain/automation":               {"domain"},
	"domain/branch":                   {"domain"},
	"domain/calendar":                 {"domain"},
	"domain/explain":                  {"domain"},
	"domain/mergepatch":               {},
	"domain/outside":                  {"domain"},
	"domain/people":                   {"domain", "domain/mergepatch"},
	"domain/reports":                  {"domain"},
	"domain/trust":                    {"domain"},
	"domain/userdata":                 {"domain", "domain/calendar", "domain/mergepatch", "domain/trust"},
	"data/files":                      {"domain", "internal/picture"},
	"internal/certificate":            {},
	"internal/clock":                  {},
	"internal/diagnosis":              {},
	"internal/dsn":                    {},
	"internal/egress":                 {"internal/traces"},
	"internal/exactjson":              {},
	"internal/ids":                    {},
	"internal/jsonbody":               {"internal/shorten"},
	"internal/breaker":                {},
	"internal/cache":                  {"internal/clock"},
	"internal/lifecycle":              {},
	"internal/memory":                 {},
	"internal/picture":                {},
	"internal/house":                  {},
	"internal/schema":                 {"internal/cache"},
	"internal/shorten":                {},
	"internal/seal":                   {},
	"internal/secretfile":             {},
	"internal/spelling":               {},
	"internal/sse":                    {},
	"internal/testkit":                {},
	"internal/traces":                 {},
	"internal/visible":                {},
	"internal/testkit/device":         {},
	"internal/testkit/golden":         {},
	"internal/testkit/repeatable":     {"internal/clock"},
	"internal/testkit/terminal":       {},
	"migrations":                      {},
	"web":                             {},
	"api":                             {"domain"},
	"api/queries":                     {},
	"api/requests":                    {},
	"data/agents":                     {"domain"},
	"auth":                            {"domain"},
	"auth/oidc":                       {"domain"},
	"auth/passkeys":                   {"domain"},
	"prompt":                          {"domain"},
	"stream":                          {"domain"},
	"telemetry":                       {"domain", "providers", "scheduler/slot"},
	"stream/bus":                      {"domain", "stream"},
	"orchestrator/plaincall":          {"domain", "prompt", "providers"},
	"orchestrator/machine":            {"domain"},
	"providers":                       {"domain"},
	"providers/anthropic":             {"domain", "providers"},
	"providers/anthropic/fake":        {"domain", "providers/suite"},
	"providers/demo":                  {"domain", "domain/ai", "providers"},
	"providers/gemini":                {"domain", "providers"},
	"providers/gemini/fake":           {"domain", "providers/suite"},
	"providers/configured":            {"domain", "providers", "providers/anthropic", "providers/demo", "providers/gemini", "providers/openai", "providers/script"},
	"providers/openai":                {"domain", "providers"},
	"providers/openai/fake":           {"domain", "providers/suite"},
	"providers/script":                {"domain", "providers"},
	"providers/suite":                 {"domain", "internal/testkit/repeatable", "providers"},
	"data":                            {"domain", "data/table"},
	"data/table":                      {"domain"},
	"commands":                        {"domain", "data", "auth", "commands/definitions", "commands/documents", "commands/edits", "commands/modules", "commands/origins", "commands/trial"},
	"commands/documents":              {"domain"},
	"commands/definitions":            {"domain"},
	"commands/edits":                  {"domain"},
	"commands/modules":                {"data", "domain"},
	"commands/origins":                {"data", "domain"},
	"commands/trial":                  {"data", "domain"},
	"commands/checks":                 {"commands", "commands/modules", "data", "domain"},
	"connectors":                      {"domain", "auth"},
	"connectors/httpcommand":          {"domain", "auth", "connectors"},
	"connectors/longrunning":          {"domain", "auth", "connectors", "connectors/httpcommand"},
	"connectors/mcp":                  {"domain", "auth", "connectors"},
	"notify":                          {"auth", "domain", "notify/webhooks", "notify/webpush"},
	"notify/webpush":                  {},
	"notify/webhooks":                 {"domain", "auth"},
	"handlers/agui":                   {"api", "auth", "domain", "rounds", "stream"},
	"handlers/linkpage":               {"domain"},
	"handlers/mcpserver":              {"api", "auth", "domain", "rounds", "stream"},
	"rounds":                          {"api", "auth", "domain", "domain/ai", "stream"},
	"handlers/uichat":                 {"api", "auth", "domain", "rounds", "stream"},
	"handlers/openai":                 {"api", "auth", "domain", "rounds"},
	"handlers/chat":                   {"api", "auth", "domain", "handlers/openai", "rounds", "stream"},
	"handlers/responses":              {"api", "auth", "domain", "handlers/openai", "rounds", "stream"},
	"repository":                      {"domain", "migrations", "repository/automations", "repository/internal/sqldb", "repository/internal/transaction", "repository/maintenance", "repository/nodes", "repository/outside", "repository/people", "repository/requests", "repository/search", "repository/userdata"},
	"repository/automations":          {"domain", "repository/internal/sqldb", "repository/internal/transaction"},
	"repository/internal/sqldb":       {"domain"},
	"operate":                         {"domain", "repository", "repository/outside", "repository/maintenance"},
	"repository/maintenance":          {"domain", "domain/reports", "migrations", "repository/internal/sqldb", "repository/outside"},
	"repository/internal/transaction": {"domain", "repository/internal/sqldb", "repository/search"},
	"repository/outside":              {"domain", "repository/internal/sqldb", "repository/internal/transaction"},
	"repository/nodes":                {"domain", "domain/reports", "repository/internal/sqldb", "repository/internal/transaction"},
	"repository/people":               {"domain", "repository/internal/sqldb", "repository/internal/transaction", "repository/outside"},
	"repository/userdata":             {"domain", "repository/automations", "repository/internal/sqldb", "repository/internal/transaction", "repository/search"},
	"repository/requests":             {"domain", "repository/internal/sqldb", "repository/internal/transaction"},
	"repository/search":               {"domain", "repository/internal/sqldb"},
	"rounds/suite":                    {"api", "auth", "domain", "internal/testkit/golden", "rounds", "stream"},
	"repository/suite":                {"domain", "internal/testkit", "migrations", "repository", "repository/outside", "repository/requests"},
	"orchestrator":                    {"domain", "orchestrator/machine", "providers", "commands", "commands/definitions", "commands/modules", "prompt"},
	"scheduler":                       {"domain", "domain/ai", "scheduler/slot"},
	"scheduler/automations":           {"domain", "scheduler", "scheduler/schedule"},
	"scheduler/slot":                  {"domain"},
	"scheduler/tasks":                 {"domain", "scheduler"},
	"scheduler/schedule":              {"domain"},
	"handlers":                        {"domain", "handlers/admin", "handlers/automations", "handlers/edge", "handlers/events", "handlers/outside", "handlers/people", "handlers/sessions", "handlers/userdata"},
	"handlers/admin":                  {"", "api", "domain", "handlers/edge"},
	"handlers/automations":            {"api", "domain", "handlers/edge"},
	"handlers/edge":                   {"api", "auth", "domain", "domain/people", "stream"},
	"handlers/edgetest":               {"api", "auth", "domain", "domain/people", "handlers/admin", "handlers/edge", "handlers/events", "stream"},
	"handlers/events":                 {"api", "auth", "domain", "handlers/edge", "internal/sse", "stream"},
	"handlers/outside":                {"api", "auth", "domain", "domain/outside", "handlers/edge"},
	"handlers/people":                 {"api", "auth", "domain", "domain/outside", "domain/people", "handlers/edge"},
	"handlers/servertest":             {"app", "auth", "domain", "domain/outside", "domain/people", "domain/userdata", "handlers", "handlers/automations", "handlers/edge", "handlers/outside", "handlers/people", "handlers/sessions", "handlers/userdata", "internal/testkit", "internal/testkit/pushservice", "internal/testkit/repeatable", "providers/openai/fake", "providers/suite", "repository", "scheduler/automations", "stream"},
	"handlers/sessions":               {"api", "auth", "domain", "handlers/edge", "handlers/linkpage"},
	"handlers/userdata":               {"api", "domain", "domain/userdata", "handlers/edge"},
	"cli":                             {"api", "cli/acp", "cli/chat", "cli/command", "cli/doctor", "cli/remote"},
	"cli/acp":                         {"api", "cli/card", "rounds"},
	"cli/card":                        {"api"},
	"cli/chat":                        {"api", "cli/card", "cli/command", "cli/console", "cli/remote", "rounds"},
	"cli/clitest":                     {"cli/command"},
	"cli/command":                     {"api", "cli/remote"},
	"cli/console":                     {"api"},
	"cli/doctor":                      {"api", "cli/command", "cli/remote"},
	"cli/remote":                      {"api"},
	"app/e2e/harness":                 {"app", "cli", "cli/command", "domain", "internal/testkit", "providers/openai/fake", "repository/suite"},
	"app/e2e/conversation":            {},
	"app/e2e/crash":                   {},
	"app/e2e/doors":                   {},
	"app/e2e/files":                   {},
	"app/e2e/keep":                    {},
	"app/e2e/load":                    {},
	"app/e2e/mcp":                     {},
	"app/e2e/schedules":               {},
	"app/e2e/notified":                {},
	"app/e2e/outside":                 {},
	"app/e2e/slot":                    {},
	"app/e2e/tasks":                   {},
	"app/e2e/terminal":                {},
	"app/e2e/userdata":                {},
	"app/e2e/vendors":                 {},
	"app/e2e/webhooks":                {},
	"examples/embed":                  {"app"},
	"examples/longtask":               {},
	"cmd/fermata":                     {"", "app", "cli", "cli/command", "cli/doctor", "operate"},
	"deploy":                          {},
	"scripts/ship":                    {},

	"internal/testkit/pushservice": {},
}

// TestImports enforces the table. Tests may also use the testkit, and app may import everything but cli.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		checkImports(t, short(p.ImportPath), p.Imports)
	}
}

func checkImports(t *testing.T, name string, imports []string) {
	t.Helper()
	if name == "app" {
		for _, i := range imports {
			if dep := short(i); dep == "cli" || strings.HasPrefix(dep, "cli/") || strings.HasPrefix(dep, "cmd/") {
				t.Errorf("app imports %s; it may import all but the command line", dep)
			}
		}
		return
	}
	allowed, known := table[name]
	if !known {
		t.Errorf("package %q has no place in the table of imports", name)
		return
	}
	for _, i := range imports {
		if i != module && !strings.HasPrefix(i, module+"/") {
			continue
		}
		dep := short(i)
		if family, _ := strings.CutPrefix(dep, "domain/"); family != dep && slices.Contains(allowed, "domain") && !strings.HasPrefix(name, "domain/") {
			continue // the families of the domain are open to all who may import its root
		}
		if !slices.Contains(allowed, dep) && !slices.Contains(common, dep) {
			t.Errorf("%s imports %s; it may import %v", name, dep, allowed)
		}
	}
}

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

// TestDomainIsPlain: the domain imports no third-party packages.
func TestDomainIsPlain(t *testing.T) {
	for _, name := range []string{"domain", "domain/ai", "domain/automation", "domain/branch", "domain/calendar", "domain/explain", "domain/mergepatch", "domain/outside", "domain/people", "domain/reports", "domain/trust", "domain/userdata", "orchestrator/machine"} {
		out, err := exec.Command("go", "list", "-f", "{{join .Imports \"\\n\"}}", module+"/"+name).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", name, err)
		}
		for i := range strings.FieldsSeq(string(out)) {
			if strings.Contains(i, ".") && !strings.HasPrefix(i, module) {
				t.Errorf("%s imports %s: the standard library only", name, i)
			}
		}
	}
}
