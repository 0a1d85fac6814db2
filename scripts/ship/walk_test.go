package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestANewOperatorsWalk follows docs/operating.md command by command, with the components it names: the image,
// unpacked and run as an unprivileged user in an empty root; nginx with TLS; sign-ins at an existing OpenID
// provider; Prometheus; a backup, and its restore to another place.
func TestANewOperatorsWalk(t *testing.T) {
	w := newWalk(t)
	for _, block := range blocks(t, "docs/operating.md") {
		switch block.kind {
		case "ini":
			w.env = strings.Split(strings.TrimSpace(w.here.Replace(block.text)), "\n")
		case "yaml":
			w.write("provider.yaml", block.text)
		default:
			for line := range strings.Lines(block.text) {
				w.follow(strings.TrimSpace(line))
			}
		}
	}
	w.remembered()
	if w.followed < 20 {
		t.Errorf("only %d commands were followed", w.followed)
	}
}

// walk is the operator's machine.
type walk struct {
	t        *testing.T
	dir      string // the operator's working directory
	root     string // the container's root
	config   *v1.ConfigFile
	here     *strings.Replacer // replaces names of the document by those of this machine
	ports    ports
	env      []string // fermata.env
	volume   string   // mounted at /data
	server   *exec.Cmd
	log      strings.Builder
	people   *person
	session  string // the session of the chat
	followed int
}

type ports struct{ server, metrics, tls, issuer, prometheus string }

func newWalk(t *testing.T) *walk {
	t.Helper()
	folder := os.Getenv("FERMATA_IMAGE")
	if folder == "" {
		t.Skip("FERMATA_IMAGE names the layout: make image-check")
	}
	wants(t, "sh", "node", "npm", "nginx", "prometheus", "promtool")
	p := ports{freePort(t), freePort(t), freePort(t), freePort(t), freePort(t)}
	w := &walk{t: t, ports: p, dir: t.TempDir(), volume: "fermata-data", here: strings.NewReplacer(
		"127.0.0.1:8080", "127.0.0.1:"+p.server, "127.0.0.1:9091", "127.0.0.1:"+p.metrics,
		"https://fermata.example", "https://127.0.0.1:"+p.tls, "https://id.example", "http://127.0.0.1:"+p.issuer,
		"listen 443", "listen 127.0.0.1:"+p.tls)}
	t.Chdir("../..")
	w.root, w.config = unpacked(t, folder)
	for _, folder := range []string{"etc/nginx/conf.d", "etc/prometheus", "etc/ssl"} {
		if err := os.MkdirAll(filepath.Join(w.dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	certificate(t, w.dir)
	w.issuer()
	return w
}

// wants checks that the programs of the document are installed.
func wants(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("extracting an image changes the owners of files: run it as root")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("there is no %s: install it with scripts/need node nginx prometheus", program)
		}
	}
}

// follow executes a line of the document.
func (w *walk) follow(line string) {
	w.t.Helper()
	w.followed++
	switch {
	case strings.HasPrefix(line, "make image"), strings.HasPrefix(line, "docker load"): // it is already unpacked
	case strings.HasPrefix(line, "docker run"):
		w.run(line)
	case strings.HasPrefix(line, "docker exec"):
		w.exec(line)
	case strings.HasPrefix(line, "docker stop"):
		w.stop()
	case strings.HasPrefix(line, "nginx -t"):
		w.nginx()
		w.signIn()
	case strings.HasPrefix(line, "systemctl reload prometheus"):
		w.prometheus()
	default:
		w.shell(line)
	}
}

// shell executes a line unchanged, in the operator's folder; /etc is below it.
func (w *walk) shell(line string) {
	w.t.Helper()
	line = strings.NewReplacer(" /etc/", " "+w.dir+"/etc/", " deploy/", " "+pwd(w.t)+"/deploy/").Replace(line)
	cmd := exec.CommandContext(w.t.Context(), "sh", "-ec", line)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// run is `docker run`: the volumes are mounted where the image expects them.
func (w *walk) run(line string) {
	w.t.Helper()
	flags, after, found := strings.Cut(line, " fermata restore ")
	w.mount(strings.Contains(line, "-v fermata-again:/data"))
	if found {
		w.inside("restore "+after, "")
		return
	}
	for _, flag := range []string{"--read-only", "--cap-drop ALL", "--env-file fermata.env", `-v "$PWD/secrets:/run/secrets:ro"`} {
		if !strings.Contains(flags, flag) {
			w.t.Errorf("the server is not started with %s: %s", flag, line)
		}
	}
	w.server = inside(w.root, w.config, w.config.Config.Cmd...)
	w.server.Env = append(w.server.Env, w.env...)
	w.server.Stderr = &w.log
	if err := w.server.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(w.stop)
	testkit.Until(w.t, "the server is ready", func() bool { return w.health() == nil })
}

func (w *walk) health() error {
	health := inside(w.root, w.config, w.config.Config.Healthcheck.Test[2:]...)
	health.Env = append(health.Env, w.env...)
	return health.Run()
}

// mount mounts a volume at /data. The volume of a running server stays in its place.
func (w *walk) mount(again bool) {
	w.t.Helper()
	for from, to := range map[string]string{"secrets": "run/secrets", "backups": "backups"} {
		_ = os.MkdirAll(filepath.Join(w.root, filepath.Dir(to)), 0o755)
		if err := os.Rename(filepath.Join(w.dir, from), filepath.Join(w.root, to)); err != nil && !os.IsNotExist(err) {
			w.t.Fatal(err)
		}
	}
	data := filepath.Join(w.root, "data")
	if again && w.volume != "fermata-again" {
		w.stop() // one root has one /data
		if err := os.Rename(data, filepath.Join(w.dir, w.volume)); err != nil {
			w.t.Fatal(err)
		}
		w.volume = "fermata-again"
		if err := os.Mkdir(data, 0o700); err != nil {
			w.t.Fatal(err)
		}
		if err := os.Chown(data, unprivileged, unprivileged); err != nil {
			w.t.Fatal(err)
		}
	}
}

// exec is `docker exec`, with a file as its input.
func (w *walk) exec(line string) {
	w.t.Helper()
	_, command, _ := strings.Cut(line, " /fermata ")
	command, file, _ := strings.Cut(command, " < ")
	out := w.inside(command, file)
	if command != "doctor" {
		return
	}
	for found := range strings.Lines(out) {
		if !strings.HasPrefix(found, "ok  ") && !strings.HasPrefix(found, "-   ") {
			w.t.Errorf("doctor reports\n%s", out)
		}
	}
}

// inside runs the program of the image with arguments, and returns its output.
func (w *walk) inside(words, file string) string {
	w.t.Helper()
	cmd := inside(w.root, w.config, strings.Fields(words)...)
	cmd.Env = append(cmd.Env, w.env...)
	if file != "" {
		input, err := os.Open(filepath.Join(w.dir, file))
		if err != nil {
			w.t.Fatal(err)
		}
		defer func() { _ = input.Close() }()
		cmd.Stdin = input
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("fermata %s: %v\n%s\n%s", words, err, out, w.log.String())
	}
	if strings.HasPrefix(words, "providers add") {
		w.talk()
	}
	return string(out)
}

// stop stops the server as an engine does.
func (w *walk) stop() {
	if w.server == nil {
		return
	}
	_ = w.server.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(20*time.Second, func() { _ = w.server.Process.Kill() })
	if err := w.server.Wait(); err != nil {
		w.t.Errorf("the server ended with %v\n%s", err, w.log.String())
	}
	late.Stop()
	w.server = nil
}

func (w *walk) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}
