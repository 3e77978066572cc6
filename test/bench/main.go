// Command bench compares the ACP client of this module with its peers and with two floors: splitting the same bytes into
// lines, and checking the lines with encoding/json.Valid.
//
//	bench run [--quick] [--json] [--ts DIR] [--only PATTERN] [--rounds N]
//	bench client SUBJECT SPEC   one subject, one workload; prints a result as one line of JSON
//	bench produce SPEC          the agent that every subject talks to, over standard input and output
//
// A SPEC is a workload as JSON. The command runs itself for the Go subjects and for the agent, each in a process of its
// own. See docs/performance.md for what is measured.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := dispatch(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func dispatch(args []string) error {
	switch {
	case len(args) >= 1 && args[0] == "run":
		return run(args[1:])
	case len(args) == 3 && args[0] == "client":
		spec, err := parseSpec(args[2])
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(measure(args[1], spec))
	case len(args) == 2 && args[0] == "produce":
		spec, err := parseSpec(args[1])
		if err != nil {
			return err
		}
		return produce(spec, os.Stdin, os.Stdout)
	}
	return fmt.Errorf("cannot run %q: want run, client SUBJECT SPEC or produce SPEC", args)
}
