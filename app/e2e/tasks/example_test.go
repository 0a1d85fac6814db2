package tasks

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// TestTheSampleService: the service of examples/longtask takes an order and calls back, as
// docs/tasks.md says.
func TestTheSampleService(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "longtask")
	build := exec.Command("go", "build", "-o", binary, "../../../examples/longtask")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // the build cache has most of it
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the sample: %v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	s := newServer(t, harness.Databases["sqlite"](t))
	sample := &studio{t: t, url: "http://" + address}
	s.connect(sample, "non_idempotent")
	service := exec.Command(binary, "-listen", address, "-for", "1s")
	service.Env = append(os.Environ(), "SIGNING_SECRET="+sample.secret)
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Process.Kill(); _ = service.Wait() })
	testkit.Until(t, "the sample to listen", func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	s.Scripted(renders("Alps"))
	chat := s.Chat()
	s.Say(chat, "Render the Alps.")
	testkit.Until(t, "the result was read", func() bool { return s.LastText(chat) == "Here it is." && s.Settle(chat).Str("phase") == "IDLE" })
	tasks := s.Call("GET", "/v1/tasks?session_id="+chat, nil).Want(200)
	if tasks.Str("data.0.status") != "succeeded" || tasks.Str("data.0.result.done.title") != "Alps" || tasks.Str("data.0.progress.text") == "" {
		t.Errorf("the task: %s", tasks.Body)
	}
}
