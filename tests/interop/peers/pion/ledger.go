package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"sync"
)

const (
	factor  uint64 = 0x9E3779B97F4A7C15
	inverse uint64 = 0xF1DE83E19937733D // factor * inverse = 1 modulo 2^64
	// maxStreamBytes bounds what a wrong offset can make us allocate.
	maxStreamBytes = 1 << 28
)

// payload returns a message for a place of a stream; length and offset are multiples of 8.
func payload(length uint64, stream uint16, offset uint64) []byte {
	message := make([]byte, 0, length)
	for at := uint64(0); at < length; at += 8 {
		message = binary.BigEndian.AppendUint64(message, (uint64(stream)<<48+offset+at)*factor)
	}
	return message
}

// incoming is what one stream has brought.
type incoming struct {
	content []byte
	seen    map[uint64]bool // by the offset of a message
	bytes   uint64
}

// ledger checks and keeps what is received.
type ledger struct {
	sync.Mutex
	streams                                map[uint16]*incoming
	bytes, messages, duplicates, reordered uint64
}

func newLedger() *ledger {
	return &ledger{streams: map[uint16]*incoming{}}
}

// take checks and keeps a message.
func (l *ledger) take(id uint16, message []byte) error {
	l.Lock()
	defer l.Unlock()
	length := uint64(len(message))
	if length == 0 || length%8 != 0 {
		return errors.New("the length of a message is no multiple of 8")
	}
	place := binary.BigEndian.Uint64(message) * inverse
	offset := place & (1<<48 - 1)
	if place>>48 != uint64(id) || offset%8 != 0 || offset+length > maxStreamBytes {
		return errors.New("a message does not belong to its stream")
	}
	if !bytes.Equal(message, payload(length, id, offset)) {
		return errors.New("the content of a message is wrong")
	}
	stream := l.streams[id]
	if stream == nil {
		stream = &incoming{seen: map[uint64]bool{}}
		l.streams[id] = stream
	}
	if stream.seen[offset] {
		l.duplicates++
		return nil
	}
	stream.seen[offset] = true
	end := uint64(len(stream.content))
	if offset != end {
		l.reordered++
	}
	if offset+length > end {
		stream.content = append(stream.content, make([]byte, offset+length-end)...)
	}
	copy(stream.content[offset:], message)
	stream.bytes += length
	l.bytes += length
	l.messages++
	return nil
}

// received returns the bytes that are here, without repetitions.
func (l *ledger) received() uint64 {
	l.Lock()
	defer l.Unlock()
	return l.bytes
}

// report prints the event `received`.
func (l *ledger) report() {
	l.Lock()
	defer l.Unlock()
	streams := []fields{}
	for id := range uint16(maxStreams) {
		if stream := l.streams[id]; stream != nil {
			hash := sha256.Sum256(stream.content)
			streams = append(streams, fields{"stream": id, "bytes": stream.bytes, "sha256": hex.EncodeToString(hash[:])})
		}
	}
	report("received", fields{
		"bytes": l.bytes, "messages": l.messages, "duplicates": l.duplicates, "reordered": l.reordered,
		"streams": streams,
	})
}

// fields are those of an event.
type fields map[string]any

var output sync.Mutex

// report prints one event.
func report(name string, more fields) {
	event := fields{"event": name}
	for key, value := range more {
		event[key] = value
	}
	output.Lock()
	defer output.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(event) // there is nobody else to tell
}
