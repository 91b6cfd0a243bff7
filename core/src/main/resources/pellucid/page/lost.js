// Work that was done and not used.

const MostLost = 40;

function lostSection() {
  const w = report.workLost;
  const gone = w.executors.filter((e) => !e.released);
  const released = w.executors.length - gone.length;
  const givenBack = released > 0 ? el("p", { class: "small" }, `${count(released, "executor")} given back by the application itself.`) : "";
  if (w.attempts.length === 0 && gone.length === 0)
    return section("lost", "Work lost", "none", el("p", { class: "empty" }, "No attempt failed, was killed, or lost its output."), givenBack);
  return section("lost", "Work lost", `${count(w.tasks, "attempt")}, ${seconds(w.seconds)}`,
    w.attempts.length === 0 ? "" : plainTable([{ label: "attempts" }, { label: "tasks", number: true }, { label: "time", number: true }, { label: "reason" }],
      w.attempts.slice(0, MostLost).map((a) => [a.kind, number(a.tasks), seconds(a.seconds), a.reason])), andMore(w.attempts, MostLost),
    gone.length === 0 ? "" : [el("h3", {}, "Lost executors"),
      plainTable([{ label: "id" }, { label: "host" }, { label: "at", number: true }, { label: "reason" }],
        gone.slice(0, MostLost).map((e) => [e.id, e.host, timeLink(e.atSeconds - 5, e.atSeconds + 5, seconds(e.atSeconds)), e.reason])), andMore(gone, MostLost)],
    givenBack);
}
