package evaluate

// Delay is a queue of fixed length: what goes in comes out a fixed number of documents later. It stands
// for labels that arrive late: a document is answered when it comes, and scored and learned when it
// leaves the queue.
type Delay[T any] struct {
	length int
	queue  []T // a ring once it is full
	oldest int
}

// NewDelay returns an empty queue; length 0 (or below) gives back at once.
func NewDelay[T any](length int) *Delay[T] { return &Delay[T]{length: max(length, 0)} }

// Push puts x in and returns what is due: what was put in length calls before. ok is false while the
// queue fills.
func (d *Delay[T]) Push(x T) (due T, ok bool) {
	if d.length == 0 {
		return x, true
	}
	if len(d.queue) < d.length {
		d.queue = append(d.queue, x)
		return due, false
	}
	due, d.queue[d.oldest] = d.queue[d.oldest], x
	d.oldest = (d.oldest + 1) % d.length
	return due, true
}

// Drain calls yield for what is still in the queue, oldest first, and leaves it empty: at the end of a
// stream the labels that are late still come.
func (d *Delay[T]) Drain(yield func(T) bool) {
	rest := append(append([]T(nil), d.queue[d.oldest:]...), d.queue[:d.oldest]...)
	d.queue, d.oldest = nil, 0
	for _, x := range rest {
		if !yield(x) {
			return
		}
	}
}
