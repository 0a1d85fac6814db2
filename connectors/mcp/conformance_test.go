package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain/outside"
)

// The scenarios for clients that the protocol's own conformance suite has, for both
// revisions. Expected failures are listed in testdata with a reason; a scenario that passes and
// is listed fails the test too.
func TestConformance(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			process := exec.Command(node(t), script(t, "conformance"), "client", "--requirements", revision,
				"--command", os.Args[0], "--expected-failures", "testdata/conformance-"+revision+".yaml", "-o", t.TempDir())
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

// runScenario is what the suite wants of a client: list, and call what it names.
func runScenario(name, address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	s := &scenario{address: address}
	if raw := os.Getenv("MCP_CONFORMANCE_CONTEXT"); raw != "" {
		if err := json.Unmarshal([]byte(raw), &s.context); err != nil {
			return err
		}
	}
	s.oauth = NewOAuth(OAuthConfig{
		URL: address, Client: http.DefaultClient, Store: &s.store, Name: "Fermata",
		MetadataURL: "https://conformance-test.local/client-metadata.json",
		ClientID:    s.context.ClientID, ClientSecret: s.context.ClientSecret,
	})
	options := Options{Client: http.DefaultClient, Version: "test", Questions: true, Tasks: true}
	if strings.HasPrefix(name, "auth/") {
		options.Tokens = s.oauth
	}
	s.connection = Open(Config{URL: address}, options)
	defer s.connection.Close()
	return s.run(ctx)
}

type scenario struct {
	address    string
	connection *Connection
	oauth      *OAuth
	store      memoryStore
	context    struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		ToolCalls    []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
}

// maxSignIns: a person signs in again as often, and no more.
const maxSignIns = 3

func (s *scenario) run(ctx context.Context) error {
	var listing connectors.Listing
	err := s.signedIn(ctx, func() (err error) {
		listing, err = s.connection.List(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, command := range listing.Commands {
		for _, params := range s.params(command, listing) {
			err := s.signedIn(ctx, func() error { return s.call(ctx, command, params) })
			if fault := outside.FaultOf(err); err != nil && fault != outside.FaultRefused && fault != outside.FaultUnknown {
				return err
			}
		}
	}
	return nil
}

// params are those that the runner or the scenario wants a tool called with.
func (s *scenario) params(command outside.ConnectorCommand, listing connectors.Listing) []json.RawMessage {
	var wanted []json.RawMessage
	for _, c := range s.context.ToolCalls {
		if c.Name == command.Remote {
			wanted = append(wanted, c.Arguments)
		}
	}
	if command.Remote == "json_schema_echo" {
		for _, other := range listing.Commands {
			if other.Remote == "json_schema_2020_12_tool" {
				return []json.RawMessage{json.RawMessage(`{"schema":` + string(other.Params) + `}`)}
			}
		}
	}
	if len(s.context.ToolCalls) == 0 {
		return []json.RawMessage{json.RawMessage(`{"a":5,"b":3,"region":"us-west1"}`)}
	}
	return wanted
}

// call answers whatever the server asks, as a person who agrees.
func (s *scenario) call(ctx context.Context, command outside.ConnectorCommand, params json.RawMessage) error {
	made := connectors.Call{Definition: command, Call: outside.Call{ExecutionID: "exe_" + command.Remote, Params: params}}
	for range 5 {
		result, err := s.connection.Call(ctx, made)
		if err != nil || result.Question == nil {
			return err
		}
		answer := json.RawMessage(`{}`)
		if strings.Contains(string(result.Question.Data), `"confirmed"`) {
			answer = json.RawMessage(`{"confirmed":true}`)
		}
		made.Answers = append(made.Answers, answer)
	}
	return errors.New("it asks and asks")
}

// signedIn signs in where that is wanted, as a person would.
func (s *scenario) signedIn(ctx context.Context, try func() error) error {
	err := try()
	for range maxSignIns {
		if err == nil || outside.FaultOf(err) != outside.FaultSignIn {
			return err
		}
		if err := s.signIn(ctx); err != nil {
			return err
		}
		err = try()
	}
	return err
}

func (s *scenario) signIn(ctx context.Context) error {
	address, _, err := s.oauth.Begin(ctx, "http://localhost:3000/callback", "")
	if err != nil {
		return err
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := browser.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	back, err := url.Parse(response.Header.Get("Location"))
	if err != nil {
		return err
	}
	q := back.Query()
	return s.oauth.Finish(ctx, q.Get("code"), q.Get("state"), q.Get("iss"))
}

// memoryStore keeps a grant for as long as the test.
type memoryStore struct {
	grant Grant
	saved int
}

func (m *memoryStore) Load(context.Context) (Grant, error) { return m.grant, nil }

func (m *memoryStore) Save(_ context.Context, g Grant) error {
	m.grant, m.saved = g, m.saved+1
	return nil
}

func (m *memoryStore) Claim(context.Context, Grant, time.Duration) (bool, error) { return true, nil }
