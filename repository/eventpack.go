package repository

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// dictionary is what the events of a log look like, those that every round has at its
// end: what stands there costs a packed row next to nothing. What was packed with it can
// be unpacked with nothing else, so it is never changed; another one gets another mark.
//
//go:embed events.dict
var dictionary []byte

const (
	// packMark is the first byte of a value packed with dictionary, and the dictionary's number in
	// zstd.
	packMark = 1
	// between separates the events of a row. It cannot occur in JSON.
	between = 0x1e
	// maxUnpacked limits the unpacked size of a row. A row ends at 32 KiB unless a single event is
	// longer, and no event is longer than a few request bodies.
	maxUnpacked = 64 << 20
)

var (
	errHasSeparator = errors.New("the event is not JSON: it has a record separator in it")
	errOtherMark    = errors.New("it was packed by another version")
)

// packer and unpacker are created on first use: each holds the prepared dictionary, so that packing
// a row of a few hundred bytes stays cheap.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(packMark, dictionary), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true))
		if err != nil {
			panic("repository: zstd takes no such options: " + err.Error())
		}
		e.EncodeAll([]byte{between}, nil) // it allocates its encoders lazily
		return e
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(packMark, dictionary), zstd.WithDecoderConcurrency(2),
			zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecoderLowmem(true))
		if err != nil {
			panic("repository: zstd takes no such options: " + err.Error())
		}
		return d
	})
)

// preparePacking creates both when a store is opened. They hand out their encoders over channels,
// which must not be created by the first event inside a synctest bubble.
func preparePacking() {
	packer()
	unpacker()
}

// pack encodes the data of events as one value, about a sixth of the length in a typical round.
func pack(events [][]byte) ([]byte, error) {
	for _, data := range events {
		if bytes.IndexByte(data, between) >= 0 {
			return nil, errHasSeparator
		}
	}
	return packer().EncodeAll(bytes.Join(events, []byte{between}), append(make([]byte, 0, 512), packMark)), nil
}

// unpack reverses pack, byte for byte.
func unpack(data []byte) ([][]byte, error) {
	if len(data) < 2 || data[0] != packMark {
		return nil, errOtherMark
	}
	out, err := unpacker().DecodeAll(data[1:], make([]byte, 0, 8*len(data)))
	if err != nil {
		return nil, fmt.Errorf("unpack events: %w", err)
	}
	return bytes.Split(out, []byte{between}), nil
}

// PackEvents returns the stored form of the data of a row's events.
func PackEvents(events [][]byte) ([]byte, error) { return pack(events) }

// UnpackEvents returns the data of a row's events, byte for byte.
func UnpackEvents(data []byte) ([][]byte, error) { return unpack(data) }
