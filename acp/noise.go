package acp

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

const (
	noiseSample = 64
	noiseKept   = 256
	noiseMasked = 64 << 10 // how far into a line secrets are looked for
)

// noiseLog counts lines that are no frames and keeps the first of them.
type noiseLog struct {
	lines  int
	bytes  int
	sample []string
	// controls counts sequences that steer a terminal: an agent that paints a screen is not in the mode we want.
	controls int
	half     int // length of a half frame at the end of the stream
}

func (n *noiseLog) add(size int, shown string) {
	n.lines++
	n.bytes += size
	if len(n.sample) < noiseSample {
		n.sample = append(n.sample, shown)
	}
}

// printable is the beginning of a line without what a terminal would act on (kagan#148).
func printable(line []byte) string {
	if len(line) > noiseKept {
		line = line[:noiseKept]
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '·'
		}
		return r
	}, strings.ToValidUTF8(string(line), "·"))
}

// shown is the beginning of a line as people may see it: secrets are masked before it is cut.
func (c *Conn) shown(line []byte) string {
	if len(line) > noiseMasked {
		line = line[:noiseMasked]
	}
	return printable([]byte(c.redact.text(string(line))))
}

// noiseLine takes a line that is no frame. Before the first frame there may be only so much of it (acpx#159).
func (c *Conn) noiseLine(line []byte) {
	shown := c.shown(line)
	c.mu.Lock()
	c.counters.Noise++
	c.noise.add(len(line), shown)
	c.noise.controls += terminalControls(line)
	limit := c.client.opts.NoiseLimit
	fuse := c.frames.Load() == 0 &&
		(limit.Lines >= 0 && c.noise.lines > limit.Lines || limit.Bytes >= 0 && c.noise.bytes > limit.Bytes)
	lines, size := c.noise.lines, c.noise.bytes
	c.mu.Unlock()
	c.diagnose(Diagnostic{Kind: DiagnosticNoise, Text: shown})
	if fuse {
		c.die(fmt.Errorf("%w: %d lines, %d bytes and no frame among them", ErrNotACP, lines, size))
	}
}

// stderrLine returns what takes the lines of the agent's standard error: they are logged with the level that they say
// they have, and reported.
func (c *Conn) stderrLine() func([]byte) {
	// The process may speak before the connection knows the secrets of its environment: the transport masks those.
	named, log := newRedactor(nil, c.client.opts.Secrets), newStderrLog(time.Now)
	return func(line []byte) {
		level, suppressed, emit := log.line(line)
		if !emit {
			return
		}
		text := named.text(string(line))
		c.report(Diagnostic{Kind: DiagnosticStderr, Level: level, Suppressed: suppressed, Text: text})
		c.logger.Log(c.ctx, level, "agent stderr", slog.String("line", text), slog.Int("suppressed", suppressed))
	}
}

func (c *Conn) warnings(session SessionID, warnings []Warning) {
	for _, w := range warnings {
		c.diagnose(Diagnostic{Kind: DiagnosticProtocol, Session: session, Text: "cannot decode " + w.String()})
	}
}
