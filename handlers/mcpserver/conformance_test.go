//go:build conformance

package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/seal"
	"github.com/fermata-dev/fermata/rounds"
)

// The scenarios for servers that the protocol's own conformance suite has, for both revisions,
// over fixtures in place of the tools. What does not pass is listed in testdata, with its reason; a
// scenario that passes and is listed there fails the test too.
func TestConformance(t *testing.T) {
	web := httptest.NewServer(fixtureServer(t))
	t.Cleanup(web.Close)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			process := exec.Command(node(t), conformanceSuite(t), "server", "--url", web.URL+"/mcp", "--requirements", revision,
				"--expected-failures", "testdata/conformance-"+revision+".yaml", "-o", t.TempDir())
			process.Env = append(os.Environ(), "FORCE_COLOR=0")
			out, err := process.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if testing.Verbose() {
				t.Logf("%s", out)
			}
		})
	}
}

const installed = "../../connectors/mcp/testdata/servers/node_modules/"

func conformanceSuite(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(installed + "@modelcontextprotocol/conformance/dist/index.js")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skip("the suite is not installed: make mcp-servers installs it")
	}
	return path
}

// node is the Node.js that came with it, or the machine's own.
func node(t *testing.T) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	path, err := filepath.Abs(installed + "node-linux-" + arch + "/bin/node")
	if err == nil {
		if _, err = os.Stat(path); err == nil {
			return path
		}
	}
	if path, err = exec.LookPath("node"); err != nil {
		t.Skip("there is no Node.js: scripts/need node installs it")
	}
	return path
}

// fixtureServer is the door with fixtures, and before it what the edge of the API does.
func fixtureServer(t *testing.T) http.Handler {
	t.Helper()
	keys, err := seal.New([][]byte{[]byte(strings.Repeat("k", 32))})
	if err != nil {
		t.Fatal(err)
	}
	world := &fakeWorld{runs: map[string]*slow{}}
	d := newDoor(Config{
		Config: rounds.Config{
			Commands: fakeDoor{fakeWorld: world}, Record: world, Approvals: world, Clock: theClock,
			API: rounds.API{Failure: failureOf, Decision: decisionOf},
		},
		Runs: fakeDoor{fakeWorld: world}, Workspaces: world, Documents: oneDocument{}, Keys: keys, Version: "test",
	}, fixtures(), func(o *mcp.ServerOptions) {
		o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
		}
	})
	for _, s := range []*mcp.Server{d.servers.viewer, d.servers.member, d.servers.answering} {
		addPrompts(s)
		addResources(s)
	}
	who := &auth.Identity{Workspace: "default", Role: domain.RoleAdmin, Name: "local"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			d.Refuse(w, &api.Failure{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "POST only."})
			return
		}
		body := make([]byte, 0, 1<<16)
		buffer := make([]byte, 1<<12)
		for {
			n, err := r.Body.Read(buffer)
			body = append(body, buffer[:n]...)
			if err != nil {
				break
			}
		}
		if _, _, err := jsonbody.Read(body, jsonbody.Request); err != nil {
			d.Refuse(w, &api.Failure{Status: http.StatusBadRequest, Code: "malformed_json", Message: err.Error()})
			return
		}
		if err := d.Serve(w, r, who, body); err != nil {
			d.Refuse(w, failureOf(err))
		}
	})
}

func failureOf(err error) *api.Failure {
	status := http.StatusUnprocessableEntity
	if domain.ErrorCode(err) == domain.CodeInternal {
		status = http.StatusInternalServerError
	}
	if domain.ErrorCode(err) == domain.CodeProviderFailed {
		status = http.StatusServiceUnavailable
	}
	return &api.Failure{Status: status, Code: domain.ErrorCode(err), Message: err.Error()}
}

func addResources(s *mcp.Server) {
	read := func(contents mcp.ResourceContents) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			c := contents
			c.URI = req.Params.URI
			if c.Text == "template" {
				c.Text = `{"id": "` + strings.TrimSuffix(strings.TrimPrefix(c.URI, "test://template/"), "/data") + `"}`
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
		}
	}
	s.AddResource(&mcp.Resource{URI: "test://static-text", Name: "text", MIMEType: "text/plain"},
		read(mcp.ResourceContents{MIMEType: "text/plain", Text: "A text."}))
	s.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "binary", MIMEType: "image/png"},
		read(mcp.ResourceContents{MIMEType: "image/png", Blob: picture.Data}))
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"},
		read(mcp.ResourceContents{MIMEType: "application/json", Text: "template"}))
}

func addPrompts(s *mcp.Server) {
	add := func(name string, make func(map[string]string) []mcp.Content, arguments ...string) {
		p := &mcp.Prompt{Name: name, Description: "A fixture."}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			out := &mcp.GetPromptResult{}
			for _, c := range make(req.Params.Arguments) {
				out.Messages = append(out.Messages, &mcp.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	add("test_simple_prompt", func(map[string]string) []mcp.Content { return []mcp.Content{words("A simple prompt.")} })
	add("test_prompt_with_arguments", func(a map[string]string) []mcp.Content {
		return []mcp.Content{words("arg1='%s', arg2='%s'", a["arg1"], a["arg2"])}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(a map[string]string) []mcp.Content {
		return []mcp.Content{resource(a["resourceUri"]), words("Look at it.")}
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) []mcp.Content { return []mcp.Content{picture, words("Look at it.")} })
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A fixture."}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if req.Params.InputResponses["user_context"] == nil {
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": nameForm()}}, nil
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: words("It was answered.")}}}, nil
	})
}

// decisionOf reads an answer to an approval; how strictly the API decodes it is tested there.
func decisionOf(answer json.RawMessage, kind domain.ApprovalKind) (domain.Decision, error) {
	var in api.ApprovalAnswer
	if err := jsonbody.Unmarshal(answer, &in); err != nil {
		return domain.Decision{}, err
	}
	return in.Domain(kind)
}
