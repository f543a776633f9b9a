package codec

import "sync"

// recent keeps values that were made, by key.
type recent[K comparable, V any] struct {
	mutex sync.Mutex
	kept  map[K]V
}

// mostRecent is how many values are kept: a process has few specs at a time, but a test that runs
// many workers has hundreds.
const mostRecent = 256

// get returns the value of a key, which is made unless it is kept. An error is not kept.
func (r *recent[K, V]) get(key K, make func() (V, error)) (V, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if value, ok := r.kept[key]; ok {
		return value, nil
	}
	value, err := make()
	if err != nil {
		return value, err
	}
	if r.kept == nil || len(r.kept) == mostRecent {
		r.kept = map[K]V{}
	}
	r.kept[key] = value
	return value, nil
}
