package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/acpharness/acpharness/internal/proc"
)

type initializeParams struct {
	ProtocolVersion json.RawMessage    `json:"protocolVersion"`
	Capabilities    clientCapabilities `json:"clientCapabilities"`
	ClientInfo      Implementation     `json:"clientInfo"`
}

// initialize performs the handshake.
func (c *Conn) initialize(ctx context.Context) error {
	version, err := c.client.protocolVersion()
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, c.client.opts.Timeouts.Initialize)
	defer cancel()
	params := initializeParams{ProtocolVersion: version, Capabilities: c.offers, ClientInfo: c.client.info}
	result, err := c.wire.call(ctx, methodInitialize, params)
	if err != nil {
		return err
	}
	c.handshake = result
	var answered []byte
	var d decoder
	ok := d.object("result", result, func(key, value []byte) {
		switch string(key) {
		case "protocolVersion":
			answered = value
		case "agentInfo":
			c.agent = implementation(value)
		case "agentCapabilities":
			c.capabilities = d.agentCapabilities("agentCapabilities", value)
		case "authMethods":
			c.authMethods = d.authMethods("authMethods", value)
		}
	})
	if !ok {
		return fmt.Errorf("%w: the result of initialize is %s", ErrProtocol, kindOf(result))
	}
	c.warnings("", d.warnings)
	c.capabilities.correct(c.client.opts.Corrections)
	c.version = answered
	if !speaksV1(answered, version) {
		return &ProtocolVersionError{Got: answered}
	}
	return nil
}

// speaksV1 reads the answered version leniently and decides strictly. Missing, null, 1, 1.0, "1" and the date strings of
// before version 1 mean 1, and so does an echo of what was sent unless that was a number.
func speaksV1(answered, sent []byte) bool {
	if len(answered) == 0 || isNull(answered) {
		return true
	}
	text := string(answered)
	if answered[0] == '"' {
		text = string(bareString(answered))
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			return true
		}
		if string(answered) == string(sent) {
			return true
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return err == nil && n == 1
}

// failStart closes the connection after a failed start and explains.
func (c *Conn) failStart(phase Phase, cause error) *StartError {
	if c.process != nil {
		c.process.Hasten(proc.Grace{StdinClose: startGrace / 4, Terminate: startGrace / 2})
	}
	hurry, cancel := context.WithTimeout(context.Background(), startGrace)
	defer cancel()
	_ = c.Close(hurry)
	e := &StartError{Phase: phase, Exit: c.Exit(), Stderr: c.StderrTail(), Noise: c.Noise(), NoiseLines: c.Counters().Noise, Err: cause}
	c.mu.Lock()
	e.seen = outputSeen{frames: c.frames.Load(), controls: c.noise.controls}
	c.mu.Unlock()
	var death *DeathError
	if errors.As(cause, &death) && death.Exit != nil {
		e.Err = errEndedEarly
		if !errors.Is(death.Err, io.EOF) {
			e.Err = fmt.Errorf("%w: %w", errEndedEarly, death.Err)
		}
		e.Exit = mergeExit(death.Exit, e.Exit)
	}
	return e
}

var errEndedEarly = errors.New("the process ended before it answered")

// startGrace is how long an agent that never got through its handshake may take to stop by itself.
const startGrace = time.Second

// mergeExit is the record at death with the steps that were taken after it.
func mergeExit(death, final *Exit) *Exit {
	if final == nil {
		return death
	}
	merged := *death
	merged.Stages, merged.Leftover = final.Stages, final.Leftover
	merged.Swept, merged.Daemons = final.Swept, final.Daemons
	return &merged
}

func asStartError(err error, phase Phase) *StartError {
	if start, ok := errors.AsType[*StartError](err); ok {
		return start
	}
	return &StartError{Phase: phase, Err: err}
}
