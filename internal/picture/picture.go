package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/webp"
)

const (
	// MaxPixels and maxSide bound what is decoded, MaxSide what is written.
	MaxPixels = 50_000_000
	maxSide   = 30_000
	MaxSide   = 2048
	// maxMemory bounds what a decoder may take for one picture, in bytes.
	maxMemory = 256 << 20
)

// Why a picture is not read.
var (
	ErrDamaged = errors.New("the picture is damaged, or cut off")
	ErrTooMany = errors.New("the picture has too many pixels")
)

// Picture is one as it was written anew.
type Picture struct {
	MediaType     string // "image/png" or "image/jpeg"
	Data          []byte
	Width, Height int
}

// Formats that are read.
const (
	formatPNG  = "PNG"
	formatJPEG = "JPEG"
	formatGIF  = "GIF"
	formatWebP = "WebP"
)

// Format is that of a file by its first bytes, "" for what is no picture that is read.
func Format(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return formatPNG
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return formatJPEG
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return formatGIF
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return formatWebP
	}
	return ""
}

// Reader reads one picture at a time.
type Reader struct{ free chan struct{} }

// NewReader makes a Reader.
func NewReader() *Reader {
	r := &Reader{free: make(chan struct{}, 1)}
	r.free <- struct{}{}
	return r
}

// Read decodes a picture (the first of an animation) and writes it anew. Its errors are
// ErrDamaged, ErrTooMany, and that of the context while it waits for those before it.
func (r *Reader) Read(ctx context.Context, data []byte) (*Picture, error) {
	select {
	case <-r.free:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { r.free <- struct{}{} }()
	return read(data)
}

func read(data []byte) (p *Picture, err error) {
	defer func() {
		if caught := recover(); caught != nil { // of a decoder, for bytes that nobody thought of
			p, err = nil, fmt.Errorf("%w: %v", ErrDamaged, caught)
		}
	}()
	format := Format(data)
	head := headOf(format, data)
	if format == formatWebP {
		data = firstFrame(data)
	}
	config, err := decodeConfig(format, data)
	if err != nil || config.Width < 1 || config.Height < 1 {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, errors.Join(err))
	}
	if err := fits(config, format, head); err != nil {
		return nil, err
	}
	decoded, err := decode(format, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	small := head.upright(shrink(decoded))
	return write(small, format == formatJPEG || format == formatWebP && lossy(decoded))
}

func decodeConfig(format string, data []byte) (image.Config, error) {
	from := bytes.NewReader(data)
	switch format {
	case formatPNG:
		return png.DecodeConfig(from)
	case formatJPEG:
		return jpeg.DecodeConfig(from)
	case formatGIF:
		return gif.DecodeConfig(from)
	case formatWebP:
		return webp.DecodeConfig(from)
	}
	return image.Config{}, errors.New("it is no picture that is read")
}

// decode gives the first picture of a file.
func decode(format string, data []byte) (image.Image, error) {
	from := bytes.NewReader(data)
	switch format {
	case formatPNG:
		return png.Decode(from)
	case formatJPEG:
		return jpeg.Decode(from)
	case formatGIF:
		return gif.Decode(from)
	default:
		return webp.Decode(from)
	}
}

// fits says whether the decoder may be let at it: by its pixels, and by what it takes for
// each of them.
func fits(config image.Config, format string, head head) error {
	pixels := int64(config.Width) * int64(config.Height)
	if config.Width > maxSide || config.Height > maxSide || pixels > MaxPixels {
		return fmt.Errorf("%w: it is %d × %d; up to %d million are read, and %d on a side",
			ErrTooMany, config.Width, config.Height, MaxPixels/1_000_000, maxSide)
	}
	if pixels*int64(bytesPerPixel(config, format, head)) > maxMemory {
		return fmt.Errorf("%w for the way in which it is packed: it is %d × %d; save it smaller, or as a plain JPEG or PNG of 8 bits",
			ErrTooMany, config.Width, config.Height)
	}
	return nil
}

// bytesPerPixel is what a decoder takes, its own tables counted.
func bytesPerPixel(config image.Config, format string, head head) int {
	switch format {
	case formatGIF:
		return 1
	case formatWebP:
		return 8 // twice the pixels, where it is lossless
	case formatPNG:
		if deep(config.ColorModel) {
			return 8
		}
		return 4
	}
	channels := max(3, head.channels)
	perPixel := channels
	if channels > 3 {
		perPixel += 4 // the four channels, put together
	}
	if head.progressive {
		perPixel += 4 * channels // its coefficients, until the last of them has come
	}
	return perPixel
}
