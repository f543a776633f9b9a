package store

import (
	"encoding/binary"
	"fmt"

	"bayestream/internal/core/digest"

	"go.etcd.io/bbolt"
)

// maxLearned is how many files are remembered: a few hundred KiB of rows.
const maxLearned = 4096

// Learned returns the digests of the files that were learned into the model, as Remember was given
// them.
func (s *Store) Learned() (map[digest.Sum]bool, error) {
	out := map[digest.Sum]bool{}
	err := s.view(func(tx *bbolt.Tx) error {
		return eachLearned(tx, func(sum digest.Sum) { out[sum] = true })
	})
	if err != nil {
		return nil, fmt.Errorf("files learned into %w", err)
	}
	return out, nil
}

// Remember adds digests of files that were learned, with the next Write. Of more than maxLearned
// the first are kept.
func (s *Store) Remember(sums []digest.Sum) { s.learned = append(s.learned, sums...) }

// writeLearned writes what Remember was given.
func (s *Store) writeLearned(tx *bbolt.Tx) error {
	if len(s.learned) == 0 {
		return nil
	}
	bucket, err := tx.CreateBucketIfNotExists([]byte(bucketLearned))
	if err != nil {
		return err
	}
	room := maxLearned - bucket.Stats().KeyN
	for _, sum := range s.learned[:min(max(room, 0), len(s.learned))] {
		key := binary.BigEndian.AppendUint64(nil, uint64(sum))
		if err := bucket.Put(key, seal(key, nil)); err != nil {
			return err
		}
	}
	return nil
}

// eachLearned calls f for the digest of each file, checksums checked.
func eachLearned(tx *bbolt.Tx, f func(digest.Sum)) error {
	bucket := tx.Bucket([]byte(bucketLearned))
	if bucket == nil {
		return nil
	}
	return bucket.ForEach(func(key, sealed []byte) error {
		if _, err := unseal(key, sealed); err != nil || len(key) != 8 {
			return fmt.Errorf("bucket %s: key %x: %w", bucketLearned, key, ErrDamaged)
		}
		f(digest.Sum(binary.BigEndian.Uint64(key)))
		return nil
	})
}
