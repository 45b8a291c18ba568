package main

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"strings"
)

// options are the arguments that pion has a use for.
type options struct {
	listen          bool
	local, remote   netip.AddrPort
	streams         uint64
	send, size      uint64
	expect          uint64
	unordered, echo bool
	shutdown        bool
	abort           string
	timeout         uint64
}

// portOfPion is the only SCTP port that pion uses, at both ends.
const portOfPion = 5000

// maxStreams is the number of streams that a peer may use.
const maxStreams = 64

func refuse(field, value, right string) {
	fmt.Fprintf(os.Stderr, "%s: is %q: %s\n", field, value, right)
	os.Exit(2)
}

// words checks a number of bytes that must consist of whole words.
func words(field string, bytes uint64) {
	if bytes%8 != 0 || bytes > 1<<32 {
		refuse(field, fmt.Sprint(bytes), "give a multiple of 8 up to 4294967296")
	}
}

func address(field, text string, port uint64) netip.AddrPort {
	found, err := netip.ParseAddr(text)
	if err != nil {
		refuse(field, text, "give one address of IPv4 or IPv6, for pion knows no second path")
	}
	if port == 0 || port > 65535 {
		refuse("--udp", fmt.Sprint(port), "give a UDP port, for pion needs one")
	}
	return netip.AddrPortFrom(found, uint16(port))
}

// readOptions reads the arguments; it ends the program with code 2 if they are wrong.
func readOptions(arguments []string) options {
	if len(arguments) == 0 || (arguments[0] != "listen" && arguments[0] != "connect") {
		refuse("mode", strings.Join(arguments, " "), "give listen or connect as the first word")
	}
	read := options{listen: arguments[0] == "listen"}
	set := flag.NewFlagSet("peer", flag.ExitOnError)
	local := set.String("local", "", "address of this end")
	remote := set.String("remote", "", "address of the other end")
	port := set.Uint64("port", portOfPion, "SCTP port of both ends")
	udp := set.Uint64("udp", 0, "UDP port of both ends")
	set.Uint64Var(&read.streams, "streams", 1, "outgoing streams")
	set.Uint64Var(&read.send, "send", 0, "bytes to send")
	set.Uint64Var(&read.size, "size", 1024, "bytes of a message")
	set.BoolVar(&read.unordered, "unordered", false, "send unordered")
	set.Uint64Var(&read.expect, "expect", 0, "bytes that the peer sends")
	set.BoolVar(&read.echo, "echo", false, "send every message back")
	set.BoolVar(&read.shutdown, "shutdown", false, "shut down in the end")
	set.StringVar(&read.abort, "abort", "", "abort in the end, with this reason")
	set.Uint64Var(&read.timeout, "timeout", 30, "seconds after which to give up")
	_ = set.Parse(arguments[1:]) // ends the program if it fails
	if *port != portOfPion {
		refuse("--port", fmt.Sprint(*port), "give 5000, for pion uses no other")
	}
	if read.streams == 0 || read.streams > maxStreams {
		refuse("--streams", fmt.Sprint(read.streams), "give a number from 1 to 64")
	}
	words("--send", read.send)
	words("--expect", read.expect)
	words("--size", read.size)
	if read.size == 0 {
		refuse("--size", "0", "give at least 8")
	}
	read.local, read.remote = address("--local", *local, *udp), address("--remote", *remote, *udp)
	return read
}
