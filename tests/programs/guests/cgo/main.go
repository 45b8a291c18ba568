// A client whose sockets are those of libc, which Go calls through cgo.
package main

/*
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_to(const char *address, int port) {
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
	inet_pton(AF_INET, address, &to.sin_addr);
	return fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) ? -1 : fd;
}
*/
import "C"

import (
	"bytes"
	"log"
	"os"
	"unsafe"
)

func main() {
	address := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(address))
	fd, err := C.open_to(address, 5000)
	if fd < 0 {
		log.Fatal(err)
	}
	sent, received := bytes.Repeat([]byte("go"), 5000), make([]byte, 65536)
	if length, err := C.write(fd, unsafe.Pointer(&sent[0]), C.size_t(len(sent))); int(length) != len(sent) {
		log.Fatal(length, err)
	}
	length, err := C.read(fd, unsafe.Pointer(&received[0]), C.size_t(len(received)))
	if length < 0 || !bytes.Equal(received[:length], sent) {
		log.Fatal(length, err)
	}
	C.close(fd)
}
