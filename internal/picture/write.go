package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// maxWritten bounds the encoded picture: vendors accept 5 MB of base64.
const maxWritten = 3_700_000

func deep(model color.Model) bool {
	return model == color.RGBA64Model || model == color.NRGBA64Model || model == color.Gray16Model
}

// shrink scales a picture down to MaxSide. A large one is first averaged in squares, strip by strip, so
// that memory does not hold a second copy.
func shrink(src image.Image) *image.RGBA {
	b := src.Bounds()
	if k := max(b.Dx(), b.Dy()) / MaxSide; k >= 1 {
		src = average(src, k)
		b = src.Bounds()
	}
	w, h := b.Dx(), b.Dy()
	if longest := max(w, h); longest > MaxSide {
		w, h = max(1, w*MaxSide/longest), max(1, h*MaxSide/longest)
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if w == b.Dx() && h == b.Dy() {
		stddraw.Draw(dst, dst.Rect, src, b.Min, stddraw.Src)
		return dst
	}
	draw.ApproxBiLinear.Scale(dst, dst.Rect, src, b, draw.Src, nil)
	return dst
}

// average replaces each square of k × k by one pixel.
func average(src image.Image, k int) *image.RGBA {
	b := src.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, (b.Dx()+k-1)/k, (b.Dy()+k-1)/k))
	strip := image.NewRGBA(image.Rect(0, 0, b.Dx(), min(k, b.Dy())))
	sums := make([][5]int, dst.Rect.Dx()) // of the four channels, and the number of pixels
	for y := range dst.Rect.Dy() {
		rows := min(k, b.Dy()-y*k)
		at := image.Rect(0, 0, b.Dx(), rows)
		stddraw.Draw(strip, at, src, image.Pt(b.Min.X, b.Min.Y+y*k), stddraw.Src)
		clear(sums)
		for row := range rows {
			line := strip.Pix[row*strip.Stride:]
			for x := range b.Dx() {
				sum := &sums[x/k]
				for c := range 4 {
					sum[c] += int(line[4*x+c])
				}
				sum[4]++
			}
		}
		line := dst.Pix[y*dst.Stride:]
		for x := range sums {
			for c := range 4 {
				line[4*x+c] = uint8((sums[x][c] + sums[x][4]/2) / sums[x][4])
			}
		}
	}
	return dst
}

// write encodes a picture: as JPEG if it was a photograph, or would be too long as PNG.
func write(src *image.RGBA, photograph bool) (*Picture, error) {
	p := &Picture{Width: src.Rect.Dx(), Height: src.Rect.Dy()}
	var out bytes.Buffer
	if !photograph {
		if err := png.Encode(&out, src); err != nil {
			return nil, fmt.Errorf("write a picture: %w", err)
		}
		if out.Len() <= maxWritten {
			p.MediaType, p.Data = "image/png", out.Bytes()
			return p, nil
		}
	}
	if !src.Opaque() { // JPEG has no transparency: the background becomes white
		flat := image.NewRGBA(src.Rect)
		stddraw.Draw(flat, flat.Rect, image.White, image.Point{}, stddraw.Src)
		stddraw.Draw(flat, flat.Rect, src, src.Rect.Min, stddraw.Over)
		src = flat
	}
	for _, quality := range []int{88, 70, 40} {
		out.Reset()
		if err := jpeg.Encode(&out, src, &jpeg.Options{Quality: quality}); err != nil {
			return nil, fmt.Errorf("write a picture: %w", err)
		}
		if out.Len() <= maxWritten {
			break
		}
	}
	p.MediaType, p.Data = "image/jpeg", out.Bytes()
	return p, nil
}
