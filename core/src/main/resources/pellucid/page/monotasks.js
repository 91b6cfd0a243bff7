// What monotasks used of each resource, and which resource is the bottleneck of each stage.

function monotasksSection() {
  if (!report.monotasks || report.monotasks.resources.length === 0) return ""; // none has ended yet
  const columns = [{ label: "resource" }, { label: "monotasks", number: true }, { label: "in use", number: true }, { label: "queued", number: true },
    { label: "data", number: true }, { label: "ideal time", number: true }];
  const cells = (u) => [u.resource, number(u.monotasks), seconds(u.busySeconds), seconds(u.queuedSeconds), bytes(u.bytes), seconds(u.idealSeconds)];
  const stages = report.stages.filter((s) => s.monotasks.length > 0).sort((a, b) => b.seconds - a.seconds).slice(0, 12);
  const overdrawn = report.monotasks.load.filter((l) => l.overdrawn > 0).map((l) => `${l.resource} ${number(l.overdrawn)}`);
  return section("monotasks", "Monotasks", "each used one resource; the ideal time is how long it would take if nothing else were used, and all of it all the time",
    plainTable(columns, report.monotasks.resources.map(cells)),
    overdrawn.length === 0 ? "" : el("p", {}, `One more began than there are slots, as nothing had ended for long, so many times: ${overdrawn.join(", ")}.`),
    el("h3", {}, "Bottlenecks of the longest stages"),
    plainTable([{ label: "stage" }, { label: "time", number: true }, { label: "bottleneck" }, { label: "its ideal time", number: true }, { label: "others" }],
      stages.map((s) => {
        const bottleneck = s.monotasks.find((u) => u.resource === s.bottleneck);
        const others = s.monotasks.filter((u) => u !== bottleneck);
        return [stageLink(s.id, s.attempt), seconds(s.seconds), s.bottleneck, seconds(bottleneck.idealSeconds), others.map((u) => `${u.resource} ${seconds(u.idealSeconds)}`).join(", ")];
      })));
}
