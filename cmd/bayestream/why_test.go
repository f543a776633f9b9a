package main

import (
	"bufio"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
)

// TestWhyAddsUp adds the numbers that --why prints, to the last digit.
func TestWhyAddsUp(t *testing.T) {
	lines := bufio.NewScanner(modeltest.Open(t, modeltest.Data(t, "sms_spam.jsonl.gz")))
	var some strings.Builder
	for n := 0; n < 600 && lines.Scan(); n++ {
		some.WriteString(lines.Text() + "\n")
	}
	sms := filepath.Join(t.TempDir(), "sms.jsonl")
	filetest.Write(t, sms, some.String())
	file := filepath.Join(t.TempDir(), "sms.db")
	mustRun(t, "train", "--model="+file, sms)
	decisions, sum := 0, int64(0)
	for line := range strings.Lines(mustRun(t, "predict", "--why", "--evidence=7", "--model="+file, sms)) {
		number, what, _ := strings.Cut(strings.TrimSpace(line), "  ")
		x, err := strconv.ParseFloat(number, 64)
		units := int64(math.Round(x * 1e4))
		switch {
		case err != nil || what == "":
		case what == "prior":
			sum = units
		case what != "margin":
			sum += units
		case sum != units:
			t.Fatalf("decision %d adds up to %d, the margin is %d units of .0001", decisions, sum, units)
		default:
			decisions++
		}
	}
	if decisions != 600 {
		t.Errorf("%d decisions have a margin", decisions)
	}
}
