package gaussian

// AllFields is the Field of a Problem that is not one of a single field.
const AllFields = -1

// Problem says why the density of a class cannot be evaluated. The zero value says that it can.
type Problem struct {
	Field  int // index of the field, or AllFields
	Reason string
}

// noVariance is the Problem of a field whose variance is not positive and finite.
func noVariance(field int) Problem {
	return Problem{Field: field, Reason: "too few rows, or all of one value"}
}
