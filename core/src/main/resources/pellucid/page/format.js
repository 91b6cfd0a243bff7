// Numbers as the terminal report words them.

function seconds(s) {
  const size = Math.abs(s);
  if (size < 0.0005) return "0 s";
  if (size < 1) return `${(s * 1000).toFixed(0)} ms`;
  if (size < 100) return `${s.toFixed(1)} s`;
  if (size < 6000) return `${s.toFixed(0)} s`;
  return `${(s / 3600).toFixed(1)} h`;
}

function atMost(s) {
  return `<= ${seconds(s)}`;
}

function bytes(b) {
  if (b === 0) return "0";
  if (b < 1e3) return `${b} B`;
  if (b < 1e6) return `${(b / 1e3).toFixed(1)} kB`;
  if (b < 1e9) return `${(b / 1e6).toFixed(1)} MB`;
  if (b < 1e12) return `${(b / 1e9).toFixed(1)} GB`;
  return `${(b / 1e12).toFixed(1)} TB`;
}

function share(part, whole) {
  return whole <= 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;
}

function number(n) {
  return n.toLocaleString("en-US");
}

function count(n, what) {
  return `${number(n)} ${what}${n === 1 ? "" : "s"}`;
}

function plain(value, unit = "") {
  return value === undefined ? "not known" : `${value.toFixed(2)}${unit}`;
}

/** A moment, in a form that `--from` and `--to` take, to the precision of `step` seconds. */
function moment(s, step) {
  const digits = step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step) - 1e-9));
  const rounded = Number(s.toFixed(digits)); // before it is divided: no minute has 60 seconds
  if (Math.abs(rounded) < 600) return `${s.toFixed(digits)}s`;
  const hours = Math.floor(rounded / 3600);
  const minutes = Math.floor(rounded / 60) % 60;
  const rest = (rounded % 60).toFixed(digits);
  return (hours > 0 ? `${hours}h` : "") + `${minutes}m` + (Number(rest) === 0 ? "" : `${rest}s`);
}

function stageName(id, attempt) {
  return attempt > 0 ? `${id}.${attempt}` : `${id}`;
}

/** Host names without the domain that all of them share. */
function shortHosts(hosts) {
  const numeric = /^[\d.:[\]]+$/;
  const named = [...new Set(hosts)].filter((h) => !numeric.test(h));
  const domains = (named[0] ?? "").split(".").map((_, i, labels) => `.${labels.slice(i + 1).join(".")}`);
  const shared = domains.find((d) => d !== "." && named.every((h) => h.endsWith(d) && h.length > d.length)) ?? "";
  return (host) => (shared !== "" && host.endsWith(shared) ? host.slice(0, -shared.length) : host);
}
