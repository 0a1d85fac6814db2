package crash

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/cli"
	"github.com/fermata-dev/fermata/domain"
)

const (
	// childVariable makes this test binary a server.
	childVariable = "FERMATA_TEST_CHILD"
	// killVariable arms it from its start on; see fuse.arm.
	killVariable = "FERMATA_TEST_KILL"
	// cautionVariable is how carefully suspects are taken up: "10s 1m 1m", or "" as usual.
	cautionVariable = "FERMATA_TEST_CAUTION"
	// careless is for stories about something else: who died twice in a row waits for
	// next to nothing, and is cleared at once.
	careless = "100ms 200ms 1ms"
)

// serveAsChild runs the command line like main does. What the parent writes to its
// standard input arms it to kill itself at an exact COMMIT.
func serveAsChild(args []string) int {
	f := &fuse{}
	f.arm(os.Getenv(killVariable))
	line := struct {
		Serve childServe `cmd:""`
	}{Serve: childServe{hooks: app.Hooks{AroundCommit: f.commit, Caution: cautionOf(os.Getenv(cautionVariable))}}}
	go func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			if in.Text() == "heap" {
				fmt.Println(heap())
				continue
			}
			fmt.Println(f.arm(in.Text()))
		}
		os.Exit(3) // the test that started it is gone
	}()
	if err := cli.Run(&line, args, cli.Process("dev", "unknown")); err != nil {
		fmt.Fprintln(os.Stderr, "fermata:", err)
		return 1
	}
	return 0
}

// childServe is the command that serves, in a process that a test may kill.
type childServe struct {
	app.Config `embed:""`
	hooks      app.Hooks
}

// Run serves until the process ends.
func (c *childServe) Run() error {
	c.TestHooks = c.hooks
	return app.Serve(c.Config)
}

// heap is what the process holds after it collected its garbage, in MiB.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse >> 20)
}

func cautionOf(text string) (c domain.Caution) {
	var second, third, survived string
	_, _ = fmt.Sscan(text, &second, &third, &survived) // "" has none
	c.Second, _ = time.ParseDuration(second)
	c.Third, _ = time.ParseDuration(third)
	c.Survived, _ = time.ParseDuration(survived)
	return c
}

// fuse kills the process at its n-th COMMIT: before it is sent, after the database
// said that it was carried out, or (during) at some instant between the two.
type fuse struct {
	mu    sync.Mutex
	where string
	at    int
	count int
}

// arm takes "before 7", "after 7", "during 7" or "never", counts from now on, and
// gives the number of commits that there were since the last time.
func (f *fuse) arm(text string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counted := f.count
	f.where, f.at, f.count = "", 0, 0
	_, _ = fmt.Sscan(text, &f.where, &f.at) // "never" has no number
	return counted
}

func (f *fuse) commit(commit func() error) error {
	f.mu.Lock()
	f.count++
	where := ""
	if f.count == f.at {
		where = f.where
	}
	f.mu.Unlock()
	switch where {
	case "before":
		die()
	case "during":
		go func() {
			time.Sleep(rand.N(800 * time.Microsecond))
			die()
		}()
	}
	err := commit()
	if where == "after" || where == "during" {
		die()
	}
	return err
}

// die ends the process as a power cut ends it for others: nothing is closed, flushed
// or said.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = self.Kill() // nothing after this line runs
	}
	select {}
}
