package acp

import (
	"math"
	"strconv"
)

// Annotations say how a content block is meant to be used (Annotations).
type Annotations struct {
	Audience     []Role   // whom it is for, nil if not sent
	LastModified string   // ISO 8601, empty if not sent
	Priority     *float64 // how important it is, from 0 to 1; nil if not sent
}

// Role is a party to the conversation. It is open.
type Role string

// The roles of the protocol.
const (
	RoleAssistant Role = "assistant"
	RoleUser      Role = "user"
)

func (d *decoder) annotations(raw []byte) *Annotations {
	if isAbsent(raw) {
		return nil
	}
	a := &Annotations{}
	if !d.object("annotations", raw, func(key, value []byte) {
		switch string(key) {
		case "audience":
			d.list("audience", value, func(value []byte) {
				var role Role
				d.str("", value, (*string)(&role))
				a.Audience = append(a.Audience, role)
			})
		case "lastModified":
			d.str("lastModified", value, &a.LastModified)
		case "priority":
			d.optNumber("priority", value, &a.Priority)
		}
	}) {
		return nil
	}
	return a
}

// appendJSON appends the member annotations after another one; nil is left out.
func (a *Annotations) appendJSON(dst []byte) []byte {
	if a == nil {
		return dst
	}
	dst = append(dst, `,"annotations":{`...)
	first := len(dst)
	if a.Audience != nil {
		dst = append(dst, `,"audience":[`...)
		for i, role := range a.Audience {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, string(role))
		}
		dst = append(dst, ']')
	}
	dst = appendMember(dst, "lastModified", a.LastModified)
	if a.Priority != nil && !math.IsNaN(*a.Priority) && !math.IsInf(*a.Priority, 0) {
		dst = append(dst, `,"priority":`...)
		dst = strconv.AppendFloat(dst, *a.Priority, 'g', -1, 64)
	}
	if len(dst) > first { // without the comma of the first member
		dst = append(dst[:first], dst[first+1:]...)
	}
	return append(dst, '}')
}
