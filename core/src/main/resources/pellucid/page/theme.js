// Colours for canvases, from the style sheet's variables of the current scheme.

const scratch = document.createElement("canvas").getContext("2d");

/** Any CSS colour as the 32-bit pixel of a canvas's image data. */
function pixel(css) {
  scratch.fillStyle = css;
  const hex = scratch.fillStyle;
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** `share` of `over`, the rest of `under`. */
function mix(under, over, share) {
  const channel = (shift) => {
    const u = (under >>> shift) & 255;
    return (u + (((over >>> shift) & 255) - u) * share) << shift;
  };
  return ((255 << 24) | channel(16) | channel(8) | channel(0)) >>> 0;
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    font: get("--font"),
    page: get("--page"),
    text: get("--text"),
    muted: get("--muted"),
    line: get("--line"),
    lane: get("--lane"),
    absent: get("--absent"),
    bar: get("--bar"),
    named: get,
    phase: (key) => get(`--phase-${key}`) || get("--phase-other"),
    outcome: (name) => get(`--outcome-${name}`) || get("--outcome-failed"),
    stage: (row) => `hsl(${(row * 137.508 + 210) % 360} ${[52, 38, 62][row % 3]}% ${[56, 66, 47][Math.floor(row / 3) % 3]}%)`
  };
}

/** Calls `redraw` whenever the scheme changes, and before and after printing, which is always light and as wide as a sheet. */
function onThemeChange(redraw) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  for (const [event, printing] of [["beforeprint", true], ["afterprint", false]])
    addEventListener(event, () => {
      document.documentElement.classList.toggle("printing", printing);
      redraw();
    });
}
