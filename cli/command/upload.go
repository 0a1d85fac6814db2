package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/remote"
)

// maxUpload is the server's limit for a file.
const maxUpload = 10 << 20

// Upload sends a file. The server detects its type.
func Upload(cc *Context, c *remote.Client, path string) (*api.File, error) {
	content, err := ReadFile(cc, path, maxUpload)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	if path == "-" {
		name = "standard input"
	}
	ctx, cancel := context.WithTimeout(cc, remote.CallTimeout)
	defer cancel()
	f, err := c.UploadContent(ctx, name, content, uuid.NewString())
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", path, err)
	}
	return f, nil
}

// ReadFile reads a file of at most the given size; "-" is the standard input.
func ReadFile(cc *Context, name string, most int64) ([]byte, error) {
	in := cc.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the file: %w", err)
		}
		defer func() { _ = file.Close() }() // opened for reading only
		in = file
	}
	var text bytes.Buffer
	if _, err := io.Copy(&text, io.LimitReader(in, most+1)); err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if int64(text.Len()) > most {
		return nil, fmt.Errorf("the file is longer than %d bytes", most)
	}
	return text.Bytes(), nil
}
