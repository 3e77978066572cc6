package acp

// Plan is the agent's whole plan; it replaces the one before. Agents that have several plans, or plans that are no lists, send a
// PlanUpdate instead.
type Plan struct {
	Entries []PlanEntry
}

// PlanEntry is one step of a plan (PlanEntry).
type PlanEntry struct {
	Content  string
	Priority PlanEntryPriority
	Status   PlanEntryStatus
}

// PlanEntryPriority is how important a step is. It is open.
type PlanEntryPriority string

// The priorities of the protocol.
const (
	PriorityHigh   PlanEntryPriority = "high"
	PriorityMedium PlanEntryPriority = "medium"
	PriorityLow    PlanEntryPriority = "low"
)

// PlanEntryStatus is how far a step is. It is open.
type PlanEntryStatus string

// The statuses of the protocol.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
)

// PlanUpdate is one of the agent's plans; it replaces the one of the same id (plan_update). This client always tells agents that
// it takes them (clientCapabilities.plan).
type PlanUpdate struct {
	ID   string // planId
	Plan PlanContent
}

// PlanContent is what a plan consists of. The variants are [*PlanItems], [*PlanFile], [*PlanMarkdown] and [*Unknown].
type PlanContent interface {
	isPlanContent()
}

// PlanItems is a plan as a list of steps.
type PlanItems struct {
	Entries []PlanEntry
}

// PlanFile is a plan that stands in a file.
type PlanFile struct {
	URI string
}

// PlanMarkdown is a plan as text.
type PlanMarkdown struct {
	Content string
}

// PlanRemoved says that a plan is no more (plan_removed).
type PlanRemoved struct {
	ID string // planId
}

func (*PlanItems) isPlanContent()    {}
func (*PlanFile) isPlanContent()     {}
func (*PlanMarkdown) isPlanContent() {}
func (*Unknown) isPlanContent()      {}

// UpdateKind implements Update.
func (*Plan) UpdateKind() UpdateKind { return KindPlan }

// UpdateKind implements Update.
func (*PlanUpdate) UpdateKind() UpdateKind { return KindPlanUpdate }

// UpdateKind implements Update.
func (*PlanRemoved) UpdateKind() UpdateKind { return KindPlanRemoved }

func (*Plan) isUpdate()        {}
func (*PlanUpdate) isUpdate()  {}
func (*PlanRemoved) isUpdate() {}

func (d *decoder) plan(raw []byte) Update {
	u := &Plan{}
	sent := false
	d.object("", raw, func(key, value []byte) {
		if string(key) == "entries" {
			u.Entries, sent = d.planEntries(value)
		}
	})
	if !sent {
		return d.missing("entries")
	}
	return u
}

// planEntries reports whether there was a list.
func (d *decoder) planEntries(raw []byte) (entries []PlanEntry, sent bool) {
	sent = d.list("entries", raw, func(value []byte) {
		var e PlanEntry
		ok := d.item(value, func(key, value []byte) {
			switch string(key) {
			case "content":
				d.str("content", value, &e.Content)
			case "priority":
				d.str("priority", value, (*string)(&e.Priority))
			case "status":
				d.str("status", value, (*string)(&e.Status))
			}
		})
		if ok {
			entries = append(entries, e)
		}
	})
	return entries, sent
}

func (d *decoder) planUpdate(raw []byte) Update {
	u := &PlanUpdate{}
	d.object("", raw, func(key, value []byte) {
		if string(key) == "plan" {
			u.ID, u.Plan = d.planContent(value)
		}
	})
	if u.Plan == nil {
		return d.missing("plan")
	}
	return u
}

// planContent chooses the variant by its discriminator alone.
func (d *decoder) planContent(raw []byte) (id string, plan PlanContent) {
	var uri, text string
	var entries []PlanEntry
	ok := d.object("plan", raw, func(key, value []byte) {
		switch string(key) {
		case "planId":
			d.str("planId", value, &id)
		case "entries":
			entries, _ = d.planEntries(value)
		case "uri":
			d.str("uri", value, &uri)
		case "content":
			d.str("content", value, &text)
		}
	})
	if !ok {
		return "", nil
	}
	switch kind := discriminator(raw, "type"); kind {
	case "items":
		return id, &PlanItems{Entries: entries}
	case "file":
		return id, &PlanFile{URI: uri}
	case "markdown":
		return id, &PlanMarkdown{Content: text}
	default:
		return id, &Unknown{Kind: kind, Raw: raw}
	}
}

func (d *decoder) planRemoved(raw []byte) Update {
	u := &PlanRemoved{}
	d.object("", raw, func(key, value []byte) {
		if string(key) == "planId" {
			d.str("planId", value, &u.ID)
		}
	})
	return u
}
