package fakeagent

import "fmt"

// ExitError is what Serve returns when the script exits the agent. A program passes Code to os.Exit.
type ExitError struct {
	// Code is the exit code the script asks for; 0 is possible.
	Code int
}

// Error names the code.
func (e *ExitError) Error() string {
	return fmt.Sprintf("the script exits the agent with code %d", e.Code)
}
