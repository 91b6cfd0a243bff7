// How long the application took, and would take; the simple models and the ideal bound beside it; how sure that is.

function compared(now, next) {
  if (now <= 0 || next <= 0 || Math.abs(next / now - 1) < 0.005) return "as long as now";
  return next < now ? `${plain(now / next)} times as fast` : `${plain(next / now)} times as long`;
}

/** Stays in view. */
class Headline {
  constructor() {
    this.predicted = el("b", { id: "predicted" });
    this.compared = el("span", { class: "compared" });
    this.slots = el("b", {});
    this.bound = el("b", {});
    this.element = el("output", { class: "headline" },
      el("span", { class: "took" }, el("b", {}, seconds(grid.application.seconds)), el("span", {}, "now")),
      el("span", { class: "arrow", "aria-hidden": "true" }, "→"),
      el("span", { class: "takes" }, this.predicted, el("span", {}, "predicted")),
      el("span", { class: "beside" }, el("span", {}, this.slots, " by slots alone"), el("span", {}, this.bound, " ideal: no run is shorter")),
      this.compared);
  }

  update() {
    const predicted = millis(grid.application.replayMillis);
    this.predicted.textContent = seconds(predicted);
    this.slots.textContent = seconds(millis(grid.application.slotsMillis));
    this.bound.textContent = seconds(millis(grid.application.idealNextMillis));
    this.compared.textContent = compared(grid.application.seconds, predicted);
    this.element.classList.toggle("faster", predicted < 0.995 * grid.application.seconds);
    this.element.classList.toggle("slower", predicted > 1.005 * grid.application.seconds);
  }
}

class Predictions {
  constructor() {
    this.bars = el("div", {});
    this.command = el("code", {});
    this.element = section("predictions", "The application", "", this.bars,
      el("p", { class: "small" }, "Replay: the recorded steps on those machines, with their queues. Ideal model: every resource used perfectly. Slots: by cores alone. ",
        "Each multiplies what was recorded. Ideal time: what the bottlenecks alone take, so no run is shorter."),
      el("p", { class: "small" }, "The same in a terminal: ", this.command));
  }

  update() {
    const a = grid.application;
    const rows = [
      ["now, as recorded", a.seconds, "stays"],
      ["predicted by replay", millis(a.replayMillis), "chosen"],
      ["by the ideal model", millis(a.idealMillis), "model"],
      ["by slots", millis(a.slotsMillis), "model"],
      ["ideal time", millis(a.idealNextMillis), "bound"]
    ];
    const longest = Math.max(...rows.map(([, s]) => s));
    this.bars.replaceChildren(barRows(rows.map(([label, s, className]) =>
      ({ label, numbers: [seconds(s)], bar: bar({ share: longest > 0 ? s / longest : 0, className }) }))));
    this.command.textContent = ["pellucid whatif LOG", grid.told, position.flags].filter((t) => t !== "").join(" ");
  }
}

class Sure {
  constructor() {
    this.compared = el("p", {});
    this.element = section("sure", "How sure", "", this.compared, ...sureOfItself());
  }

  update() {
    const validation = grid.validations[grid.validation[position.configuration()]];
    const percent = (part) => `${Math.round(100 * part)} %`;
    this.compared.replaceChildren(...(validation === undefined ? ["No such change has been compared with what was measured."]
      : ["Between ", el("b", {}, seconds(millis(grid.application.lowMillis))), " and ", el("b", {}, seconds(millis(grid.application.highMillis))),
        `: of ${validation.predictions} replays of such a change that were compared with what was measured, half were within ${percent(validation.medianError)}, `,
        `all within ${percent(validation.worstError)}, and eight in ten would lie between these.`]));
  }
}

function sureOfItself() {
  const { seconds: recorded, replayNow } = grid.application;
  const off = recorded > 0 ? (100 * (replayNow - recorded)) / recorded : 0;
  return [
    el("p", {}, `Of the recorded machines the replay takes ${seconds(replayNow)} where ${seconds(recorded)} were recorded: `,
      el("b", {}, Math.abs(off) < 0.05 ? "no difference" : `${Math.abs(off).toFixed(1)} % ${off > 0 ? "more" : "less"}`), "."),
    el("p", {}, grid.monotasks ? "The steps of its tasks are monotasks, as they were recorded."
      : "Its tasks did not run as monotasks: their steps are estimated from the phases of their time.")
  ];
}

/** Of the recorded machines (thesis Fig. 5.13). */
function boundsSection() {
  const rows = grid.bounds.map(({ resource, replay }) => ({
    label: `no ${resource}`,
    numbers: [seconds(replay)],
    bar: bar({ share: grid.application.seconds > 0 ? replay / grid.application.seconds : 0, className: "model" })
  }));
  return section("bounds", "If a resource were infinitely fast", "of the machines as they were: nothing bought of it saves more", barRows(rows),
    el("p", { class: "small" }, "What the replay takes. Blocked-time analysis says: ",
      grid.bounds.filter((b) => b.blockedTime !== undefined).map((b) => `no ${b.resource} ${seconds(b.blockedTime)}`).join(", "), "."));
}

function assumptionsSection() {
  return grid.assumptions.length === 0 ? "" : section("assumptions", "Taken for granted", "",
    el("ul", { class: "checks" }, grid.assumptions.map((a) => el("li", {}, a))));
}
