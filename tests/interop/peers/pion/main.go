// A peer over pion/sctp: one association on a connected UDP socket, with a goroutine that reads each stream.
package main

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pion/sctp"
)

// patientConn reports no refusal: the other end may begin later.
type patientConn struct{ net.Conn }

func (c patientConn) Read(buffer []byte) (int, error) {
	for {
		count, err := c.Conn.Read(buffer)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return count, err
		}
	}
}

func (c patientConn) Write(packet []byte) (int, error) {
	count, err := c.Conn.Write(packet)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return len(packet), nil
	}
	return count, err
}

// peer is an association and what is known of its progress.
type peer struct {
	options     options
	association *sctp.Association
	ledger      *ledger

	lock             sync.Mutex
	reading          map[uint16]bool
	sent, ending     bool
	receivedReported bool
	ended            chan error // why each stream ended
	readers          sync.WaitGroup
}

// maxMessage is the largest message in bytes that may come.
const maxMessage = 16 << 20

func fail(err error) {
	report("error", fields{"message": err.Error()})
	os.Exit(1)
}

func start(options options) (*sctp.Association, error) {
	conn, err := net.DialUDP("udp", net.UDPAddrFromAddrPort(options.local), net.UDPAddrFromAddrPort(options.remote))
	if err != nil {
		return nil, err
	}
	network := sctp.WithNetConn(patientConn{conn})
	block := sctp.WithBlockWrite(true)
	message := sctp.WithMaxMessageSize(maxMessage)
	buffer := sctp.WithMaxReceiveBufferSize(4 << 20)
	if options.listen {
		report("listening", nil)
		return sctp.ServerWithOptions(network, block, message, buffer)
	}
	return sctp.ClientWithOptions(network, block, message, buffer)
}

// read takes messages of a stream until it ends. A stream is read once, whichever side opened it.
func (p *peer) read(stream *sctp.Stream) {
	id := stream.StreamIdentifier()
	p.lock.Lock()
	already := p.reading[id]
	p.reading[id] = true
	if !already {
		p.readers.Add(1)
	}
	p.lock.Unlock()
	if already {
		return
	}
	defer p.readers.Done()
	buffer := make([]byte, maxMessage)
	for {
		count, err := stream.Read(buffer)
		if err != nil {
			p.ended <- err
			return
		}
		if err := p.ledger.take(id, buffer[:count]); err != nil {
			fail(err)
		}
		if p.options.echo {
			if _, err := stream.WriteSCTP(buffer[:count], sctp.PayloadTypeWebRTCBinary); err != nil {
				fail(err)
			}
		}
		p.endIfDone()
	}
}

func (p *peer) accept() {
	for {
		stream, err := p.association.AcceptStream()
		if err != nil {
			return
		}
		go p.read(stream)
	}
}

func (p *peer) send() {
	streams := make([]*sctp.Stream, p.options.streams)
	for id := range streams {
		stream, err := p.association.OpenStream(uint16(id), sctp.PayloadTypeWebRTCBinary)
		if err != nil {
			fail(err)
		}
		stream.SetReliabilityParams(p.options.unordered, sctp.ReliabilityTypeReliable, 0)
		streams[id] = stream
		go p.read(stream)
	}
	offsets := make([]uint64, len(streams))
	for k, left := uint64(0), p.options.send; left > 0; k++ {
		id := k % p.options.streams
		length := min(left, p.options.size)
		message := payload(length, uint16(id), offsets[id])
		if _, err := streams[id].WriteSCTP(message, sctp.PayloadTypeWebRTCBinary); err != nil {
			fail(err)
		}
		offsets[id] += length
		left -= length
	}
	report("sent", fields{"bytes": p.options.send})
	p.lock.Lock()
	p.sent = true
	p.lock.Unlock()
	p.endIfDone()
}

// endIfDone ends the association as the arguments say, once everything is sent and what was expected is here.
func (p *peer) endIfDone() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if !p.sent || p.ending || p.ledger.received() < p.options.expect {
		return
	}
	if p.options.expect > 0 && !p.receivedReported {
		p.ledger.report()
		p.receivedReported = true
	}
	switch {
	case p.options.shutdown:
		p.ending = true
		go func() {
			if err := p.association.Shutdown(context.Background()); err != nil {
				fail(err)
			}
		}()
	case p.options.abort != "":
		p.ending = true
		go p.association.Abort(p.options.abort)
	}
}

// finish says how the association ended, once every stream is read to its end.
func (p *peer) finish(err error) {
	p.readers.Wait()
	p.lock.Lock()
	defer p.lock.Unlock()
	if !p.receivedReported {
		p.ledger.report()
	}
	switch {
	case p.ending && p.options.abort != "":
		report("aborted", fields{"by": "local", "reason": ""})
	case errors.Is(err, sctp.ErrChunk):
		text := err.Error()
		if _, reason, found := strings.Cut(text, "User Initiated Abort: "); found {
			text = strings.TrimSuffix(reason, ")")
		}
		report("aborted", fields{"by": "peer", "reason": text})
	default:
		report("closed", nil)
	}
	os.Exit(0)
}

func main() {
	options := readOptions(os.Args[1:])
	time.AfterFunc(time.Duration(options.timeout)*time.Second, func() { fail(errors.New("the time is over")) })
	association, err := start(options)
	if err != nil {
		fail(err)
	}
	report("connected", fields{"outgoing": 0, "incoming": 0})
	p := &peer{
		options: options, association: association, ledger: newLedger(),
		reading: map[uint16]bool{}, ended: make(chan error, maxStreams),
	}
	go p.accept()
	go p.send()
	p.finish(<-p.ended)
}
