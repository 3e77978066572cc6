package main

import (
	"io"
	"os"
	"os/exec"
)

// child is an agent that a subject without a transport of its own speaks to.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
}

func spawn(agent []string) (*child, error) {
	c := &child{cmd: exec.Command(agent[0], agent[1:]...)}
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, c.cmd.Start()
}

func (c *child) close() {
	_ = c.in.Close()
	_ = c.out.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}
