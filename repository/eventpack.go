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
	// packMark is the first byte of what is packed with dictionary, and its number in zstd.
	packMark = 1
	// between stands between the events of a row. JSON has it nowhere.
	between = 0x1e
	// maxUnpacked bounds what a row is unpacked to. A row ends at 32 KiB, but for one event
	// that is longer, and no event is longer than a few bodies of a request.
	maxUnpacked = 64 << 20
)

var (
	errHasSeparator = errors.New("the event is not JSON: it has a record separator in it")
	errOtherMark    = errors.New("it was packed by another version")
)

// packer and unpacker are made when they are needed first: each has the dictionary
// prepared, so that a row of a few hundred bytes costs about as much as those.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(packMark, dictionary), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true))
		if err != nil {
			panic("repository: zstd takes no such options: " + err.Error())
		}
		e.EncodeAll([]byte{between}, nil) // it makes its parts only now
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

// preparePacking makes both when a store is opened. They hand their parts out over channels:
// made by the first event, those would belong to the bubble of virtual time that it was in.
func preparePacking() {
	packer()
	unpacker()
}

// pack makes one value of the data of events, a sixth of its length in a usual round.
func pack(events [][]byte) ([]byte, error) {
	for _, data := range events {
		if bytes.IndexByte(data, between) >= 0 {
			return nil, errHasSeparator
		}
	}
	return packer().EncodeAll(bytes.Join(events, []byte{between}), append(make([]byte, 0, 512), packMark)), nil
}

// unpack gives back what was packed, byte for byte.
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

// PackEvents makes what a row of the log stores of the data of its events.
func PackEvents(events [][]byte) ([]byte, error) { return pack(events) }

// UnpackEvents gives back the data of the events of a row, byte for byte.
func UnpackEvents(data []byte) ([][]byte, error) { return unpack(data) }
