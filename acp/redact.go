package acp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// redactor masks secrets in what is shown of an agent: its standard error, noise, diagnostics and errors. What a session
// carries is data and passes as it is.
type redactor struct {
	replacer atomic.Pointer[strings.Replacer] // nil if there is nothing to mask

	mu      sync.Mutex
	secrets []string
}

const (
	masked = "[redacted]"
	// shortestSecret keeps words such as "true" and "off" readable.
	shortestSecret = 6
	// longPiece is how long a piece of a secret of many words or lines must be to be one by itself.
	longPiece = 16
)

// secretWords are what names of environment variables with secrets in them have in common.
var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL", "COOKIE", "SESSION", "PRIVATE", "SIGNATURE", "BEARER", "DSN"}

// isSecretName reports whether the value of a variable or header of this name is taken for a secret.
func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// newRedactor masks the given values and those of the variables in env whose names speak of secrets.
func newRedactor(env, values []string) *redactor {
	secrets := slices.Clone(values)
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && isSecretName(name) {
			secrets = append(secrets, value)
		}
	}
	r := &redactor{}
	r.learn(secrets)
	return r
}

// learn masks further values from now on.
func (r *redactor) learn(values []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" || slices.Contains(r.secrets, v) })
	if len(values) == 0 {
		return
	}
	r.secrets = append(r.secrets, values...)
	r.replacer.Store(newReplacer(r.secrets))
}

// newReplacer returns nil if none of the secrets is long enough to be masked.
func newReplacer(secrets []string) *strings.Replacer {
	secrets = slices.Clone(secrets)
	// What is shown is shown line by line: a key of many lines is masked in pieces, too.
	for _, secret := range slices.Clone(secrets) {
		if lines := strings.Fields(secret); len(lines) > 1 {
			secrets = append(secrets, slices.DeleteFunc(lines, func(l string) bool { return len(l) < longPiece })...)
		}
		secrets = append(secrets, strings.TrimSpace(secret))
	}
	// Longest first: a secret may begin with another.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, secret := range slices.Compact(secrets) {
		if len(secret) < shortestSecret {
			continue
		}
		pairs = append(pairs, secret, masked)
		// The same in JSON, as error data and logs have it, in both of the usual ways.
		quoted, _ := json.Marshal(secret)
		for _, token := range [][]byte{quoted, appendString(nil, secret)} {
			if inner := string(token[1 : len(token)-1]); inner != secret {
				pairs = append(pairs, inner, masked)
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return strings.NewReplacer(pairs...)
}

func (r *redactor) text(s string) string {
	if r == nil {
		return s
	}
	replacer := r.replacer.Load()
	if replacer == nil {
		return s
	}
	return replacer.Replace(s)
}

// error masks an answer of the agent.
func (r *redactor) error(e *Error) *Error {
	if r == nil || r.replacer.Load() == nil {
		return e
	}
	clean := *e
	clean.Message = r.text(e.Message)
	if e.Data != nil {
		clean.Data = json.RawMessage(r.text(string(e.Data)))
	}
	return &clean
}
