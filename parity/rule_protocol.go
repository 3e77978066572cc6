package parity

// checkProtocol compares the literal of each backend with what its launch has sent.
func checkProtocol(c *catalog, r *recorder) {
	for _, d := range c.selected {
		r.require(d.ID, "literal", d.ProtocolVersion, d.ProtocolVersion != "", "no protocol literal is given")
		seen, ok := c.launches[d.ID]
		if !ok {
			r.skip(d.ID, "launch", c.unlaunch)
			continue
		}
		r.compare(d.ID, "literal sent", d.ProtocolVersion, seen.protocol, "initialize carried another literal")
	}
}
