// Numbers, times and places as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

const known = (x) => typeof x === "number" && Number.isFinite(x);

// count writes a whole number: 12,345; from a million on 1.23 M.
export function count(n) {
  if (!known(n)) return "–";
  if (Math.abs(n) >= 1e9) return (n / 1e9).toFixed(2) + " G";
  if (Math.abs(n) >= 1e6) return (n / 1e6).toFixed(2) + " M";
  return whole.format(n);
}

// rate writes how many a second.
export function rate(n) {
  if (!known(n)) return "–";
  return n >= 100 ? count(Math.round(n)) : n >= 10 ? n.toFixed(0) : n.toFixed(1);
}

// percent writes a share so that it is 100 % only if it is one.
export function percent(p, digits = 1) {
  if (!known(p)) return "–";
  const value = p * 100;
  if (p > 0 && value < 0.5 * 10 ** -digits) return "<" + 10 ** -digits + " %";
  if (p < 1 && value > 100 - 0.5 * 10 ** -digits) return ">" + (100 - 10 ** -digits).toFixed(digits) + " %";
  return value.toFixed(digits) + " %";
}

// signed writes a weight with its sign; the minus is a real one.
export function signed(x, digits = 2) {
  if (!known(x)) return x === null ? "∞" : "–";
  const size = Math.abs(x).toFixed(digits);
  if (Number(size) === 0) return size;
  return (x > 0 ? "+" : "−") + size;
}

// number writes a number with as many digits as help.
export function number(x, digits = 3) {
  if (!known(x)) return "–";
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return count(x);
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

// seconds writes a duration.
export function seconds(x) {
  if (!known(x)) return "–";
  if (x < 0.001) return (x * 1e6).toFixed(0) + " µs";
  if (x < 0.9995) return (x * 1000).toFixed(x < 0.01 ? 1 : 0) + " ms";
  if (x < 60) return x.toFixed(x < 10 ? 1 : 0) + " s";
  if (x < 3600) return Math.floor(x / 60) + " min " + Math.round(x % 60) + " s";
  if (x < 86400) return Math.floor(x / 3600) + " h " + Math.round((x % 3600) / 60) + " min";
  return Math.floor(x / 86400) + " d " + Math.round((x % 86400) / 3600) + " h";
}

// bytes writes a size in binary units.
export function bytes(n) {
  if (!known(n)) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
  return (i ? n.toFixed(1) : n) + " " + units[i];
}

// time writes the time of day; moment the day as well.
export const time = (ms) => (known(ms) ? clock.format(ms) : "–");
export const moment = (ms) => (known(ms) ? day.format(ms) : "–");

// plural writes a count with its noun.
export const plural = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;
