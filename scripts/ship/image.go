package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// unprivileged is the user that runs the program in the image and owns the data folder.
const unprivileged = 65532

// makeImage writes folder/oci, an OCI layout with an image per architecture, and folder/fermata-image.tar,
// the image for this machine, for docker load.
func makeImage(ctx context.Context, from source, folder string) error {
	oci := filepath.Join(folder, "oci")
	if err := os.RemoveAll(oci); err != nil { //nolint:gosec // the folder is an argument of the build
		return fmt.Errorf("clear the layout: %w", err)
	}
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range []string{"amd64", "arm64"} {
		image, err := imageFor(ctx, from, target{"linux", arch}, folder)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			MediaType: types.OCIManifestSchema1, Platform: &v1.Platform{OS: "linux", Architecture: arch},
		}})
		if arch != runtime.GOARCH {
			continue
		}
		tag, err := name.NewTag("fermata:"+tagOf(from.version), name.WeakValidation)
		if err != nil {
			return fmt.Errorf("name the image: %w", err)
		}
		if err := tarball.WriteToFile(filepath.Join(folder, "fermata-image.tar"), tag, image); err != nil {
			return fmt.Errorf("write the image for docker load: %w", err)
		}
	}
	if _, err := layout.Write(oci, index); err != nil {
		return fmt.Errorf("write the layout: %w", err)
	}
	return nil
}

// tagOf converts a version to a tag, which cannot contain a plus sign.
func tagOf(version string) string {
	tag := []byte(version)
	for i, c := range tag {
		if c == '+' {
			tag[i] = '-'
		}
	}
	return string(tag)
}

// imageFor is the image of one architecture: the program, the files that a process needs to run as an
// unprivileged user, and folders for data and temporary files. There is no shell.
func imageFor(ctx context.Context, from source, t target, folder string) (v1.Image, error) {
	path := filepath.Join(folder, t.String(), t.binary())
	if err := build(ctx, from, t, path); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(path) //nolint:gosec // the folder is an argument of the build
	if err != nil {
		return nil, fmt.Errorf("read the built program: %w", err)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, part := range []struct {
		what  string
		files []file
	}{
		{"folders and the user", []file{
			{path: "data/", mode: 0o700, owner: unprivileged},
			{path: "etc/", mode: 0o755},
			{path: "etc/group", mode: 0o644, content: []byte("root:x:0:\nfermata:x:65532:\n")},
			{path: "etc/passwd", mode: 0o644, content: []byte("root:x:0:0:root:/:/fermata\nfermata:x:65532:65532:fermata:/data:/fermata\n")},
			{path: "tmp/", mode: 0o1777},
		}},
		{"the program", []file{{path: "fermata", mode: 0o755, content: program}}},
	} {
		layer, err := layerOf(part.files, from.at)
		if err != nil {
			return nil, err
		}
		image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer,
			History: v1.History{Created: v1.Time{Time: from.at}, CreatedBy: "make image", Comment: part.what}})
		if err != nil {
			return nil, fmt.Errorf("add %s: %w", part.what, err)
		}
	}
	return configured(image, from, t)
}

// configured sets the image's configuration: the same as in the Dockerfile.
func configured(image v1.Image, from source, t target) (v1.Image, error) {
	file, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read the image's configuration: %w", err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created, file.Author = "linux", t.arch, v1.Time{Time: from.at}, "Fermata"
	file.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", unprivileged, unprivileged), WorkingDir: "/data",
		Entrypoint: []string{"/fermata"}, Cmd: []string{"serve"},
		Env:          []string{"PATH=/", "HOME=/data", "FERMATA_LISTEN=0.0.0.0:8080", "FERMATA_DATA_DIR=/data"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/fermata", "health"}, Interval: 10 * time.Second, Timeout: 5 * time.Second,
			StartPeriod: 30 * time.Second, Retries: 3,
		},
		StopSignal: "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Fermata",
			"org.opencontainers.image.description": "AI sessions that hold for a person, a network or a slot, and lose nothing",
			"org.opencontainers.image.version":     from.version,
			"org.opencontainers.image.revision":    from.commit,
			"org.opencontainers.image.created":     from.at.Format(time.RFC3339),
		},
	}
	image, err = mutate.ConfigFile(image, file)
	if err != nil {
		return nil, fmt.Errorf("configure the image: %w", err)
	}
	return image, nil
}
