package bench_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/acpharness/acpharness/parity/bench"
)

// beOffline is the first argument that makes the test binary a program that leaves the network and tells what it sees.
const beOffline = "be-offline"

// tellOffline prints its interfaces, arguments, marks in its environment and standard input, and exits with 7, or by the
// signal that ends it if the second argument is "wait".
func tellOffline() int {
	code, ran, err := bench.Offline()
	if ran {
		return code
	}
	if err != nil {
		fmt.Fprintln(os.Stdout, "not offline:", err)
		return 1
	}
	if os.Args[2] == "wait" {
		if signal.Ignored(syscall.SIGHUP) {
			fmt.Fprint(os.Stdout, "nohup ")
		}
		fmt.Fprintln(os.Stdout, os.Getpid())
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return 2
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp != 0 {
			fmt.Fprintln(os.Stdout, "interface", i.Name)
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 3
	}
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", listener.Addr().String())
	if err != nil {
		return 4
	}
	_ = conn.Close()
	input, _ := io.ReadAll(os.Stdin)
	fmt.Fprintln(os.Stdout, "input", string(input))
	fmt.Fprintln(os.Stdout, "arguments", os.Args[2:], "mark", os.Getenv("ACPHARNESS_OFFLINE"), "uid", os.Getuid())
	status, _ := os.ReadFile("/proc/self/status")
	fmt.Fprintln(os.Stdout, "ambient", regexp.MustCompile(`CapAmb:\s*(\S+)`).FindStringSubmatch(string(status))[1])
	return 7
}
