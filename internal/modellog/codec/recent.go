package codec

import "sync"

// recent keeps the last values that were made, by key.
type recent[K comparable, V any] struct {
	mutex sync.Mutex
	kept  []pair[K, V] // oldest first
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

// mostRecent is how many values are kept: a process has few specs at a time.
const mostRecent = 8

// get returns the value of a key, which is made unless it is kept. An error is not kept.
func (r *recent[K, V]) get(key K, make func() (V, error)) (V, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for i := range r.kept {
		if r.kept[i].key == key {
			return r.kept[i].value, nil
		}
	}
	value, err := make()
	if err != nil {
		return value, err
	}
	if len(r.kept) == mostRecent {
		r.kept = append(r.kept[:0], r.kept[1:]...)
	}
	r.kept = append(r.kept, pair[K, V]{key, value})
	return value, nil
}
