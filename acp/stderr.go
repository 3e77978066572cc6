package acp

import (
	"bytes"
	"log/slog"
	"strings"
	"time"
)

const (
	stderrRate  = 20  // lines a second
	stderrBurst = 100 // lines at once
	stderrHead  = 512 // how far into a line its level is looked for
)

// levelTrace is below slog's lowest level, as far as that is below the next.
const levelTrace = slog.LevelDebug - 4

// stderrLog decides how the lines of an agent's standard error become log events: at which level, and which of them when
// there are too many. An agent may write a gigabyte in an hour (kandev#2417). It is for one goroutine.
type stderrLog struct {
	now func() time.Time

	trouble    slog.Level // of the entry that indented lines belong to; slog.LevelInfo if there is none
	closing    bool       // the first line that is not indented still belongs to it, as the last of a Python traceback does
	credit     time.Duration
	counted    time.Time // until when credit was given
	suppressed int
}

func newStderrLog(now func() time.Time) *stderrLog {
	return &stderrLog{now: now, credit: stderrBurst * stderrCost, counted: now()}
}

const stderrCost = time.Second / stderrRate

// line takes a line without its end. If it is to be emitted, suppressed is how many lines before it were not.
func (s *stderrLog) line(line []byte) (level slog.Level, suppressed int, emit bool) {
	level = s.level(line)
	now := s.now()
	s.credit = min(s.credit+max(now.Sub(s.counted), 0), stderrBurst*stderrCost)
	s.counted = now
	if s.credit < stderrCost {
		s.suppressed++
		return level, 0, false
	}
	s.credit -= stderrCost
	suppressed, s.suppressed = s.suppressed, 0
	return level, suppressed, true
}

// unreported returns how many lines were suppressed since the last one that was emitted.
func (s *stderrLog) unreported() int { return s.suppressed }

// level returns the level of a line, which may be that of the entry that it continues.
func (s *stderrLog) level(line []byte) slog.Level {
	var buffer [stderrHead]byte
	line = plain(buffer[:0], line[:min(len(line), stderrHead)])
	text := bytes.TrimLeft(line, " \t")
	if len(text) == 0 {
		s.trouble, s.closing = slog.LevelInfo, false
		return slog.LevelInfo
	}
	indented := len(text) < len(line)
	switch level, found := sniffLevel(text); {
	case bytes.HasPrefix(text, []byte("Traceback (most recent call last)")):
		s.trouble, s.closing = slog.LevelError, true
	case found && !indented, found && level > s.trouble:
		s.trouble, s.closing = slog.LevelInfo, false
		if level > slog.LevelInfo && text[0] != '{' {
			s.trouble = level
		}
		return level
	case found && s.trouble == slog.LevelInfo:
		return level
	case indented, bytes.IndexByte([]byte("})]"), text[0]) >= 0: // the end of an object that was printed
	case s.closing:
		s.trouble, s.closing = slog.LevelInfo, false
		return slog.LevelError
	default:
		s.trouble = slog.LevelInfo
	}
	return s.trouble
}

// sniffLevel finds the level that a line names at its beginning.
func sniffLevel(text []byte) (slog.Level, bool) {
	if text[0] == '{' {
		return jsonLevel(text)
	}
	word, rest := nextWord(text)
	if level, ok := klogLevel(word); ok {
		return level, true
	}
	stamped := false
	for isTimestamp(word) || isSpeaker(word) {
		stamped = stamped || !isSpeaker(word)
		word, rest = nextWord(rest)
	}
	if level, ok := leadingLevel(word, rest); ok {
		return level, true
	}
	stamped = stamped || bytes.HasPrefix(word, []byte("["))
	if bytes.IndexByte(word, '=') > 0 {
		return logfmtLevel(text)
	}
	// After a time or a name in brackets, more names may come before the level, which is in capitals then.
	for i := 0; stamped && i < 3 && len(word) > 0; i++ {
		bare := bytes.Trim(word, decoration)
		if level, ok := namedLevel(bare); ok && isUpper(bare) {
			return level, true
		}
		word, rest = nextWord(rest)
	}
	return slog.LevelInfo, false
}

// decoration is what people put around the name of a level.
const decoration = "[]()<>:|!"

// leadingLevel reads the first word of a message: ERROR, [error], error:, WARNING:root:, "Error handling", TypeError:.
func leadingLevel(word, rest []byte) (slog.Level, bool) {
	bare := bytes.Trim(word, decoration)
	bare, _, _ = bytes.Cut(bare, []byte(":"))
	if level, ok := namedLevel(bare); ok {
		// "debug mode is on" and "alert service started" say nothing, "error opening the file" does.
		if len(bare) < len(word) || isUpper(bare) || isTroubleWord(bare) {
			return level, true
		}
		return slog.LevelInfo, false
	}
	switch {
	case bytes.HasSuffix(word, []byte("Error:")), bytes.HasSuffix(word, []byte("Exception:")), string(word) == "Uncaught",
		string(word) == "thread" && bytes.Contains(rest, []byte(" panicked at ")):
		return slog.LevelError, true
	case bytes.HasSuffix(word, []byte("Warning:")):
		return slog.LevelWarn, true
	}
	return slog.LevelInfo, false
}

// isTroubleWord reports whether a level is meant even if nothing sets its name off.
func isTroubleWord(word []byte) bool {
	for _, name := range []string{"error", "warn", "warning", "fatal"} {
		if strings.EqualFold(string(word), name) {
			return true
		}
	}
	return false
}

func isUpper(word []byte) bool {
	for _, b := range word {
		if b >= 'a' && b <= 'z' {
			return false
		}
	}
	return true
}

// namedLevel reads the name of a level in any case.
func namedLevel(word []byte) (slog.Level, bool) {
	var upper [10]byte
	if len(word) > len(upper) {
		return 0, false
	}
	for i, b := range word {
		if b >= 'a' && b <= 'z' {
			b -= 'a' - 'A'
		}
		upper[i] = b
	}
	switch string(upper[:len(word)]) {
	case "TRACE", "TRC", "VERBOSE", "SILLY":
		return levelTrace, true
	case "DEBUG", "DBG":
		return slog.LevelDebug, true
	case "INFO", "INF", "NOTICE":
		return slog.LevelInfo, true
	case "WARN", "WARNING", "WRN":
		return slog.LevelWarn, true
	case "ERROR", "ERR", "FATAL", "CRITICAL", "CRIT", "SEVERE", "PANIC", "ALERT", "EMERGENCY":
		return slog.LevelError, true
	default:
		return 0, false
	}
}

// jsonLevel reads the level of a line of JSON, as pino, bunyan, zap, slog and zerolog write it.
func jsonLevel(text []byte) (slog.Level, bool) {
	for _, key := range []string{`"level"`, `"severity"`} {
		_, value, ok := bytes.Cut(text, []byte(key))
		if !ok {
			continue
		}
		value = bytes.TrimLeft(value, " \t")
		if value, ok = bytes.CutPrefix(value, []byte(":")); !ok {
			continue
		}
		value = bytes.TrimLeft(value, " \t")
		if name, quoted := bytes.CutPrefix(value, []byte(`"`)); quoted {
			name, _, _ = bytes.Cut(name, []byte(`"`))
			if level, ok := namedLevel(name); ok {
				return level, true
			}
			continue
		}
		if len(value) > 2 && isDigit(value[0]) && isDigit(value[1]) && !isDigit(value[2]) {
			return pinoLevel(int(value[0]-'0')*10 + int(value[1]-'0')), true
		}
	}
	return slog.LevelInfo, false
}

func pinoLevel(n int) slog.Level {
	switch {
	case n >= 50:
		return slog.LevelError
	case n >= 40:
		return slog.LevelWarn
	case n >= 30:
		return slog.LevelInfo
	case n >= 20:
		return slog.LevelDebug
	default:
		return levelTrace
	}
}

// logfmtLevel reads the level of a line of key=value.
func logfmtLevel(text []byte) (slog.Level, bool) {
	for word, rest := nextWord(text); len(word) > 0; word, rest = nextWord(rest) {
		key, value, _ := bytes.Cut(word, []byte("="))
		switch string(key) {
		case "level", "lvl", "severity":
			return namedLevel(bytes.Trim(value, `"`))
		}
	}
	return slog.LevelInfo, false
}

// klogLevel reads the head of a line of klog or glog, such as E1130.
func klogLevel(word []byte) (slog.Level, bool) {
	if len(word) != 5 {
		return 0, false
	}
	for _, b := range word[1:] {
		if !isDigit(b) {
			return 0, false
		}
	}
	switch word[0] {
	case 'I':
		return slog.LevelInfo, true
	case 'W':
		return slog.LevelWarn, true
	case 'E', 'F':
		return slog.LevelError, true
	default:
		return 0, false
	}
}

// isTimestamp reports whether a word can be of a time, or one of the strokes that people put after one.
func isTimestamp(word []byte) bool {
	for _, b := range word {
		if !isDigit(b) && bytes.IndexByte([]byte("-:.,/+TZ[]()|"), b) < 0 {
			return false
		}
	}
	return len(word) > 0
}

// isSpeaker reports whether a word is what npm and Node put before their levels: npm error, (node:12) [DEP0040] Warning:.
func isSpeaker(word []byte) bool {
	return string(word) == "npm" || bytes.HasPrefix(word, []byte("(node:")) || bytes.HasPrefix(word, []byte("[DEP"))
}

func nextWord(text []byte) (word, rest []byte) {
	text = bytes.TrimLeft(text, " \t")
	if i := bytes.IndexAny(text, " \t"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, nil
}

// plain returns line without escape sequences; it uses dst if there are any.
func plain(dst, line []byte) []byte {
	if bytes.IndexByte(line, escape) < 0 {
		return line
	}
	for len(line) > 0 {
		if line[0] == escape {
			n, _ := escapeSequence(line)
			line = line[n:]
			continue
		}
		dst = append(dst, line[0])
		line = line[1:]
	}
	return dst
}

const escape = 0x1b

// escapeSequence returns the length of the sequence that b begins with, and its last byte: that of "\x1b[31m" is 'm'.
// One that is cut off reaches to the end of b and has the last byte 0.
func escapeSequence(b []byte) (length int, final byte) {
	if len(b) < 2 {
		return len(b), 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1, b[i]
			}
		}
		return len(b), 0
	case ']': // titles and links, up to BEL or ESC \
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1, ']'
			}
			if b[i] == escape && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2, ']'
			}
		}
		return len(b), 0
	default:
		return 2, b[1]
	}
}
