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
	// maxPixels and maxSide bound what is decoded, MaxSide bounds the output.
	maxPixels = 50_000_000
	maxSide   = 30_000
	MaxSide   = 2048
	// maxMemory bounds the memory of all decoders together, and so of each, in bytes.
	maxMemory = 256 << 20
)

// Reasons for rejecting a picture.
var (
	ErrDamaged = errors.New("the picture is damaged or incomplete")
	ErrTooMany = errors.New("the picture has too many pixels")
)

// Picture is a re-encoded picture.
type Picture struct {
	MediaType     string // "image/png" or "image/jpeg"
	Data          []byte
	Width, Height int
}

// Supported formats.
const (
	formatPNG  = "PNG"
	formatJPEG = "JPEG"
	formatGIF  = "GIF"
	formatWebP = "WebP"
)

// Format detects the format of a file by its first bytes; "" if it is not supported.
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

// Read decodes a picture (the first frame of an animation) and re-encodes it. It waits for a place; each
// owner has one. It returns ErrDamaged, ErrTooMany, the error of spend, which is called before the pixels
// are decoded, or that of the context if it ends while waiting.
func (r *Reader) Read(ctx context.Context, owner string, data []byte, spend func(pixels int64) error) (*Picture, error) {
	found, err := inspect(data)
	if err != nil {
		return nil, err
	}
	if err := spend(found.pixels()); err != nil {
		return nil, err
	}
	done, err := r.enter(ctx, owner, found.memory())
	if err != nil {
		return nil, err
	}
	defer done()
	return found.read()
}

// file is a picture that may be decoded.
type file struct {
	data   []byte
	format string
	head   head
	config image.Config
}

func (f *file) pixels() int64 { return int64(f.config.Width) * int64(f.config.Height) }

// memory is the decoder's memory for it.
func (f *file) memory() int64 { return f.pixels() * int64(bytesPerPixel(f.config, f.format, f.head)) }

// caught converts a panic of a decoder on invalid data to an error.
func caught(err *error) {
	if panicked := recover(); panicked != nil {
		*err = fmt.Errorf("%w: %v", ErrDamaged, panicked)
	}
}

// inspect reads the header of a picture, which needs no memory.
func inspect(data []byte) (f *file, err error) {
	defer caught(&err)
	f = &file{data: data, format: Format(data)}
	f.head = headOf(f.format, data)
	if f.format == formatWebP {
		f.data = firstFrame(data)
	}
	f.config, err = decodeConfig(f.format, f.data)
	if err != nil || f.config.Width < 1 || f.config.Height < 1 {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, errors.Join(err))
	}
	return f, f.fits()
}

func (f *file) read() (p *Picture, err error) {
	defer caught(&err)
	decoded, err := decode(f.format, f.data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	small := f.head.upright(shrink(decoded))
	return write(small, f.format == formatJPEG || f.format == formatWebP && lossy(decoded))
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
	return image.Config{}, errors.New("the format is not supported")
}

// decode decodes the first frame of a file.
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

// fits checks the limits of pixels, and of memory for each of them.
func (f *file) fits() error {
	config := f.config
	if config.Width > maxSide || config.Height > maxSide || f.pixels() > maxPixels {
		return fmt.Errorf("%w: it is %d × %d; the limit is %d million, and %d on a side",
			ErrTooMany, config.Width, config.Height, maxPixels/1_000_000, maxSide)
	}
	if f.memory() > maxMemory {
		return fmt.Errorf("%w for its encoding: it is %d × %d; save it smaller, or as a plain JPEG or PNG of 8 bits",
			ErrTooMany, config.Width, config.Height)
	}
	return nil
}

// bytesPerPixel is the decoder's memory, including its tables.
func bytesPerPixel(config image.Config, format string, head head) int {
	switch format {
	case formatGIF:
		return 1
	case formatWebP:
		return 8 // both planes, if it is lossless
	case formatPNG:
		if deep(config.ColorModel) {
			return 8
		}
		return 4
	}
	channels := max(3, head.channels)
	perPixel := channels
	if channels > 3 {
		perPixel += 4 // the four channels, combined
	}
	if head.progressive {
		perPixel += 4 * channels // the coefficients, until all of them are read
	}
	return perPixel
}
