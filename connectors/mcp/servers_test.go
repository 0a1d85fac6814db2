package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// script is the program of one of the servers that others wrote (testdata/servers).
func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "servers", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("the servers that others wrote are not installed: make mcp-servers installs them")
	}
	return path
}

// node is the Node.js that came with them, or the machine's own.
func node(t *testing.T) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	path, err := filepath.Abs(filepath.Join("testdata", "servers", "node_modules", "node-linux-"+arch, "bin", "node"))
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

func open(t *testing.T, config Config, change ...func(*Options)) *Connection {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	options := Options{Client: client, AllowStdio: true, Version: "test", Questions: true, Tasks: true}
	for _, c := range change {
		c(&options)
	}
	c := Open(config, options)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	})
	return c
}

func stdioServer(t *testing.T, name string, args ...string) *Connection {
	t.Helper()
	return open(t, Config{Command: node(t), Args: append([]string{script(t, name)}, args...)})
}

// everythingOverHTTP starts server-everything as a web server and gives its address.
func everythingOverHTTP(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	process := exec.Command(node(t), script(t, "server-everything"), "streamableHttp")
	process.Env = append(os.Environ(), "PORT="+strconv.Itoa(port))
	ownGroup(process)
	stderr, err := process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, bufio.NewReader(stderr))
		_ = process.Wait()
	}()
	t.Cleanup(func() { killGroup(process); <-done })
	address := "127.0.0.1:" + strconv.Itoa(port)
	testkit.Until(t, "server-everything listens", func() bool {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return "http://" + address + "/mcp"
}

func list(t *testing.T, c *Connection) connectors.Listing {
	t.Helper()
	listing, err := c.List(t.Context())
	if err != nil {
		t.Fatalf("list: %v (%v)", err, unwrap(err))
	}
	return listing
}

func unwrap(err error) error {
	if e, ok := err.(*outside.Error); ok {
		return e.Cause
	}
	return nil
}

func named(t *testing.T, l connectors.Listing, name string) outside.ConnectorCommand {
	t.Helper()
	for _, c := range l.Commands {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no %s", name)
	return outside.ConnectorCommand{}
}

// call carries out a command of the list.
func call(t *testing.T, c *Connection, l connectors.Listing, name, params string, answers ...string) outside.Result {
	t.Helper()
	result, err := try(t.Context(), c, named(t, l, name), params, answers...)
	if err != nil {
		t.Fatalf("%s: %v (%v)", name, err, unwrap(err))
	}
	return result
}

func try(ctx context.Context, c *Connection, definition outside.ConnectorCommand, params string, answers ...string) (outside.Result, error) {
	definition.Timeout = MaxTimeout // the tests run beside others
	made := connectors.Call{Definition: definition, Call: outside.Call{ExecutionID: "exe_" + definition.Name, Params: json.RawMessage(params)}}
	for _, a := range answers {
		made.Answers = append(made.Answers, json.RawMessage(a))
	}
	return c.Call(ctx, made)
}

// Whatever others wrote about the protocol, over both ways.
func TestEverything(t *testing.T) {
	for _, over := range []string{"stdio", "http"} {
		t.Run(over, func(t *testing.T) {
			var c *Connection
			if over == "stdio" {
				c = stdioServer(t, "server-everything")
			} else {
				c = open(t, Config{URL: everythingOverHTTP(t)})
			}
			testEverything(t, c)
		})
	}
}

func testEverything(t *testing.T, c *Connection) {
	l := list(t, c)
	if len(l.Commands) < 10 || l.Commands[0].Name != "ECHO" || l.Commands[0].Remote != "echo" || len(l.Notes) > 0 {
		t.Fatalf("listed %d, first %+v, notes %q", len(l.Commands), l.Commands[0], l.Notes)
	}
	again := list(t, c)
	for i := range l.Commands {
		if l.Commands[i].DefinitionHash != again.Commands[i].DefinitionHash {
			t.Errorf("%s is another the second time", l.Commands[i].Name)
		}
	}
	if e := named(t, l, "ECHO"); !json.Valid(e.Params) || e.Description == "" {
		t.Errorf("echo is %+v", e)
	}
	if r := call(t, c, l, "ECHO", `{"message":"hé"}`); r.Text != "Echo: hé" || r.Failed || r.Cut {
		t.Errorf("echo: %+v", r)
	}
	if r := call(t, c, l, "GET_SUM", `{"a":2,"b":3}`); !strings.Contains(r.Text, "5") {
		t.Errorf("sum: %+v", r)
	}
	if r := call(t, c, l, "GET_SUM", `{"a":"x"}`); !r.Failed {
		t.Errorf("a sum of a text: %+v", r)
	}
	if r := call(t, c, l, "GET_TINY_IMAGE", `{}`); !strings.Contains(r.Text, "[image left out: image/png, ") {
		t.Errorf("image: %+v", r)
	}
	if r := call(t, c, l, "GET_STRUCTURED_CONTENT", `{"location":"New York"}`); !json.Valid(r.JSON) || !strings.Contains(string(r.JSON), "temperature") {
		t.Errorf("structured: %+v", r)
	}
	if r := call(t, c, l, "GET_RESOURCE_LINKS", `{"count":2}`); !strings.Contains(r.Text, "[a resource, not fetched: ") {
		t.Errorf("links: %+v", r)
	}
}

// A process gets PATH, HOME and what it was given: no secret of ours.
func TestEnvironment(t *testing.T) {
	t.Setenv("FERMATA_SECRET_THING", "secret")
	c := open(t, Config{Command: node(t), Args: []string{script(t, "server-everything")}, Env: map[string]string{"GIVEN": "yes"}})
	r := call(t, c, list(t, c), "GET_ENV", `{}`)
	var env map[string]string
	if err := json.Unmarshal([]byte(r.Text), &env); err != nil {
		t.Fatal(err)
	}
	if env["GIVEN"] != "yes" || env["PATH"] == "" || len(env) != 3 {
		t.Errorf("its environment is %v", env)
	}
}

// Two more that others wrote: files within a folder, and a graph of what is known.
func TestFilesystem(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := stdioServer(t, "server-filesystem", folder)
	l := list(t, c)
	if read := named(t, l, "READ_TEXT_FILE"); read.Effect != domain.EffectRead || read.RequireValidation {
		t.Errorf("reading is %+v", read)
	}
	if write := named(t, l, "WRITE_FILE"); write.Effect == domain.EffectRead || !write.RequireValidation {
		t.Errorf("writing is %+v", write)
	}
	path := func(name string) string { return strconv.Quote(filepath.Join(folder, name)) }
	if r := call(t, c, l, "READ_TEXT_FILE", `{"path":`+path("a.txt")+`}`); r.Text != "hello" || r.Failed {
		t.Errorf("read: %+v", r)
	}
	if r := call(t, c, l, "WRITE_FILE", `{"path":`+path("b.txt")+`,"content":"new"}`); r.Failed {
		t.Errorf("write: %+v", r)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "b.txt")); err != nil || string(got) != "new" {
		t.Errorf("wrote %q %v", got, err)
	}
	if r := call(t, c, l, "READ_TEXT_FILE", `{"path":"/etc/passwd"}`); !r.Failed || !strings.Contains(r.Text, "denied") {
		t.Errorf("outside: %+v", r)
	}
}

func TestMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memory.jsonl")
	c := open(t, Config{Command: node(t), Args: []string{script(t, "server-memory")}, Env: map[string]string{"MEMORY_FILE_PATH": file}})
	l := list(t, c)
	entity := `{"entities":[{"name":"Ada","entityType":"person","observations":["wrote the first program"]}]}`
	if r := call(t, c, l, "CREATE_ENTITIES", entity); r.Failed {
		t.Errorf("create: %+v", r)
	}
	if r := call(t, c, l, "SEARCH_NODES", `{"query":"first program"}`); !strings.Contains(r.Text, "Ada") || !json.Valid(r.JSON) {
		t.Errorf("search: %+v", r)
	}
}
