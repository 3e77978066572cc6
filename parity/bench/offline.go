package bench

import "net"

// Offline makes sure that this program, and what it starts, has no network but a loopback interface: it runs the program
// again, with the same arguments and standard streams, where there is nothing else, and returns its exit code and true. The
// caller exits with that code. It returns false in that second program, on a machine without a network, and where the
// system has no such place for it; then the error says why, and agents can reach what this machine can.
//
// Agents look for updates, report what they do, and resolve names, whatever their configuration says. Call Offline before
// anything is started or read from standard input. Signals that ask the program to end are passed on.
func Offline() (code int, ran bool, err error) { return offline() }

// outside reports whether an interface other than loopback is up.
func outside() (bool, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return false, err
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 {
			return true, nil
		}
	}
	return false, nil
}
