// Package browser opens the pages of the project in a real browser: reports that the built binary
// makes, and the page of a worker. It checks what can be measured there: that charts have marks,
// nothing is cut off or lies over something else, colours can be told from what is behind them,
// nothing is asked of a network, in light and dark, on a screen, a telephone and paper. A person at
// the console watches, corrects and undoes, beside the demo and, where BAYESTREAM_KAFKA names one,
// beside a pipeline of processes on a real Kafka. Its tests have the build tag browser:
// test/browser/run.sh runs them.
package browser
