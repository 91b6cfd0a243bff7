// Puts the page together.

function whatIfHeader() {
  return el("header", {},
    el("h1", {}, grid.name || "(no application name in the log)"),
    el("p", { class: "identity" }, [grid.id, "on other machines", grid.monotasks ? "monotasks recorded" : "monotasks estimated",
      `${count(grid.configurations, "configuration")} simulated`].filter(Boolean).map((t) => el("span", {}, t))));
}

function whatIfFooter() {
  return el("footer", {}, el("p", {}, "Each number is defined in docs/whatif.md of Pellucid. This file holds everything it shows and asks nothing of the network."));
}

function assemble() {
  document.title = `${grid.name || grid.id || "Spark application"} - Pellucid what-if`;
  const [headline, choices, predictions, chart, bottlenecks, sure] =
    [new Headline(), new Choices(), new Predictions(), new MachinesChart(), new Bottlenecks(), new Sure()];
  const tables = [stageRows(), jobRows()].filter(Boolean);
  document.getElementById("page").append(whatIfHeader(),
    el("div", { class: "whatif" }, headline.element, choices.element,
      el("div", { class: "shown" }, predictions.element, chart.element, bottlenecks.element, boundsSection(),
        el("div", { class: "pair" }, sure.element, assumptionsSection()), tables.map((t) => t.element))),
    whatIfFooter());
  position.changed = () => [headline, choices, predictions, chart, bottlenecks, sure, ...tables].forEach((part) => part.update());
  addEventListener("hashchange", () => position.follow());
  position.follow();
}

assemble();
