package fakeagent

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"
)

const mcpStopPatience = time.Second

// mcpProcess is the process of a server. Three goroutines belong to it: one reads its output until that ends, one waits
// for its exit, and one lists its tools anew whenever they have changed, until the output has ended. stop joins them.
type mcpProcess struct {
	cmd    *exec.Cmd
	in     interface{ Close() error }
	out    *os.File
	exited chan struct{}
	work   sync.WaitGroup
	once   sync.Once
}

// startProcess starts the server of m.
func (m *mcpServer) startProcess(ctx context.Context) error {
	if m.entry.command == "" {
		return errors.New("there is no command")
	}
	// It is stopped by its owner, who lets it end by itself first.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), m.entry.command, m.entry.args...)
	cmd.Env = os.Environ()
	for name, value := range m.entry.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	// A pipe of our own: Wait would close one of the command's, with an answer in it that nobody has read yet.
	out, theirs, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close())
	}
	cmd.Stdout = theirs
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return errors.Join(err, out.Close()) // Start has closed in
	}
	m.wire = newMCPWire(in, m.noticed)
	m.process = &mcpProcess{cmd: cmd, in: in, out: out, exited: make(chan struct{})}
	m.process.work.Go(func() { m.wire.read(out) })
	m.process.work.Go(func() {
		defer close(m.process.exited)
		_ = cmd.Wait() // how it ended is its own affair
	})
	m.process.work.Go(m.relist)
	return nil
}

// stop closes the server's input, kills it if that does not end it, and joins all that belongs to it. Any number of
// callers may stop it; all return when it is gone.
func (p *mcpProcess) stop() {
	p.once.Do(func() {
		_ = p.in.Close()
		timer := time.NewTimer(mcpStopPatience)
		defer timer.Stop()
		select {
		case <-p.exited:
		case <-timer.C:
			_ = p.cmd.Process.Kill()
			<-p.exited
		}
		_ = p.out.Close() // a process that it left behind may hold the other end
		p.work.Wait()
	})
}
