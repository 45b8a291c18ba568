// A socket by Go's own system calls.
package main

import (
	"fmt"
	"syscall"
)

func main() {
	_, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 132)
	fmt.Println(err)
}
