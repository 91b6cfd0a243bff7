function footer() {
  const i = report.intake;
  return el("footer", {},
    el("p", {}, source === "live" ? `${count(i.lines, "event")} of the running application. `
      : `${bytes(i.bytes)} of log in ${count(i.lines, "line")}${notUnderstood().length === 0 ? ", all understood" : ""}. `,
      "Moments are seconds since the application's start. Each number is defined in docs/report.md of Pellucid; ",
      "<= marks an upper bound: it cannot be more, not that it will be as much."),
    source === "file" ? el("p", {}, "This file holds everything it shows and asks nothing of the network.") : "");
}
