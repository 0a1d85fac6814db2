package main

import (
	"archive/tar"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/fermata-dev/fermata/internal/testkit"
)

// maxImage bounds the download size.
const maxImage = 65 << 20

// TestImage unpacks the image for this machine, and runs its program as a container engine does: in an empty
// root, as an unprivileged user, with one writable folder.
func TestImage(t *testing.T) {
	folder := os.Getenv("FERMATA_IMAGE")
	if folder == "" {
		t.Skip("FERMATA_IMAGE names the layout: make image-check")
	}
	root, config := unpacked(t, folder)
	if config.Config.User != "65532:65532" || config.Config.Healthcheck == nil || len(config.Config.Volumes) != 1 {
		t.Errorf("the image is run as %+v", config.Config)
	}
	for _, shell := range []string{"bin", "usr", "busybox"} {
		if _, err := os.Stat(filepath.Join(root, shell)); err == nil {
			t.Errorf("/%s is in the image", shell)
		}
	}
	out, err := inside(root, config, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "fermata ") {
		t.Fatalf("fermata version: %v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "FERMATA_LISTEN=" + free.Addr().String()
	_ = free.Close()
	server := inside(root, config, "serve")
	server.Env = append(server.Env, address)
	var log strings.Builder
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended with %v\n%s", err, log.String())
		}
	})
	testkit.Until(t, "fermata health to say ok", func() bool {
		health := inside(root, config, config.Config.Healthcheck.Test[2:]...)
		health.Env = append(health.Env, address)
		out, err := health.Output()
		return err == nil && string(out) == "ok\n"
	})
	if _, err := os.Stat(filepath.Join(root, "data", "fermata.db")); err != nil {
		t.Errorf("the data is not in its folder: %v", err)
	}
}

// inside is a command of the image as the engine starts it.
func inside(root string, config *v1.ConfigFile, args ...string) *exec.Cmd {
	command := exec.Command("/fermata", args...)
	command.Path, command.Err = "/fermata", nil
	command.Dir, command.Env = config.Config.WorkingDir, config.Config.Env
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	return command
}

// unpacked extracts the files of the image for this machine's architecture, each with its owner, and returns
// the image's configuration.
func unpacked(t *testing.T, folder string) (root string, config *v1.ConfigFile) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("extracting an image changes the owners of files: run it as root")
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Fatalf("the layout is not valid: %v", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 2 {
		t.Errorf("there are %d images, want one for each architecture", len(manifest.Manifests))
	}
	root = t.TempDir()
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range manifest.Manifests {
		image, err := index.Image(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		checkSize(t, d.Platform.Architecture, image)
		if d.Platform.Architecture != runtime.GOARCH {
			continue
		}
		if config, err = image.ConfigFile(); err != nil {
			t.Fatal(err)
		}
		files := mutate.Extract(image)
		lay(t, files, root)
		_ = files.Close()
	}
	if config == nil {
		t.Skipf("there is no image for %s", runtime.GOARCH)
	}
	return root, config
}

func checkSize(t *testing.T, arch string, image v1.Image) {
	t.Helper()
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var bytes int64
	for _, l := range layers {
		n, err := l.Size()
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
	}
	t.Logf("%s: %d MiB to fetch", arch, bytes>>20)
	if bytes > maxImage {
		t.Errorf("%s: %d bytes to fetch, at most %d", arch, bytes, maxImage)
	}
}

func lay(t *testing.T, files io.Reader, root string) {
	t.Helper()
	for archive := tar.NewReader(files); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			var content []byte
			if content, err = io.ReadAll(archive); err == nil {
				err = os.WriteFile(path, content, 0o600)
			}
		}
		if err == nil {
			err = os.Chown(path, header.Uid, header.Gid)
		}
		if err == nil {
			err = syscall.Chmod(path, uint32(header.Mode))
		}
		if err != nil {
			t.Fatalf("unpack %s: %v", header.Name, err)
		}
	}
}
