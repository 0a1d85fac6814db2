package providers

import "io"

// Body is a request body as a list of pieces, so that a long history is not copied into one buffer.
type Body struct {
	pieces [][]byte
	Length int64
}

// NewBody returns an empty body with capacity for n pieces.
func NewBody(n int) *Body { return &Body{pieces: make([][]byte, 0, n)} }

// Add appends a piece without copying it.
func (b *Body) Add(piece []byte) {
	b.pieces = append(b.pieces, piece)
	b.Length += int64(len(piece))
}

// Reader returns a new reader of the whole body; each attempt uses its own.
func (b *Body) Reader() io.ReadCloser { return &bodyReader{pieces: b.pieces} }

type bodyReader struct {
	pieces [][]byte
	offset int
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && len(r.pieces) > 0 {
		c := copy(p[n:], r.pieces[0][r.offset:])
		n += c
		r.offset += c
		if r.offset == len(r.pieces[0]) {
			r.pieces, r.offset = r.pieces[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
