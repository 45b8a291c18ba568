// Switches figures between drawing and chart. The library is loaded for the first chart.
(() => {
  "use strict";
  // Colours of figures, and their variables in the style sheet.
  const VARIABLES = {
    "#1a1a1a": "--ink", "#d9d9d9": "--grid",
    "#0072b2": "--series-1", "#d55e00": "--series-2", "#009e73": "--series-3", "#cc79a7": "--series-4",
    "#e69f00": "--series-5", "#56b4e9": "--series-6", "#8c6d31": "--series-7", "#5f5f5f": "--series-8",
  };
  const NARROW = 640; // width in px below which plots are stacked
  const HEIGHT = rows => rows > 2 ? 230 : 360; // height of a row of plots in px, by the number of rows
  let library = null;

  const load = () => library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "plotly.min.js";
    script.onload = resolve;
    script.onerror = () => { library = null; reject(new Error("plotly.min.js is not in the folder of this page")); };
    document.head.append(script);
  });

  const coloured = text => {
    const style = getComputedStyle(document.documentElement);
    return text.replace(/#[0-9a-f]{6}/g, colour => style.getPropertyValue(VARIABLES[colour] ?? "").trim() || colour);
  };

  const axes = (layout, letter) => Object.keys(layout).filter(key => key.startsWith(`${letter}axis`));

  // Stacks the plots, each as wide as the page; returns their number.
  const stack = layout => {
    const count = axes(layout, "x").length;
    for (const key of axes(layout, "x")) Object.assign(layout[key], { domain: [0, 1], showticklabels: true });
    axes(layout, "y").forEach((key, n) => Object.assign(layout[key], {
      domain: [1 - (n + 0.74) / count, 1 - n / count],
      showticklabels: true,
      title: layout[key].title?.text ? layout[key].title : layout.yaxis.title,
    }));
    return count;
  };

  // Returns the number of rows of a legend with a width in px. A letter takes 7.2 px, the sample of a line 60 px.
  const legendRows = (names, width) => {
    let rows = 0, left = 0;
    for (const name of names) {
      const wide = 7.2 * name.length + 60;
      if (wide > left) { rows += 1; left = width; }
      left -= wide;
    }
    return rows;
  };

  const draw = figure => {
    const chart = figure.querySelector(".chart");
    const { data, layout } = JSON.parse(coloured(figure.querySelector("script").textContent));
    const body = getComputedStyle(document.body);
    const narrow = chart.clientWidth < NARROW;
    const rows = narrow ? stack(layout) : new Set(axes(layout, "y").map(key => layout[key].domain[0])).size;
    const names = data.filter(trace => trace.showlegend).map(trace => trace.name);
    // Below the plots are the legend and the label of the axis. If plots are stacked, their domains contain the label.
    layout.margin.b = (narrow ? 0 : 55) + 20 * (narrow ? names.length : legendRows(names, chart.clientWidth - 80));
    layout.height = HEIGHT(narrow ? 1 : rows) * rows + layout.margin.b;
    layout.font = { color: body.color, family: body.fontFamily, size: 12 };
    layout.hoverlabel = { font: { family: body.fontFamily } };
    layout.modebar = { bgcolor: "rgba(0,0,0,0)", color: body.color, activecolor: body.color };
    const buttons = ["select2d", "lasso2d", "autoScale2d"];
    return Plotly.react(chart, data, layout, {
      responsive: true, displaylogo: false, displayModeBar: narrow ? false : "hover", modeBarButtonsToRemove: buttons,
    });
  };

  const shown = () => [...document.querySelectorAll("figure")].filter(figure => figure.querySelector(".chart:not([hidden])"));

  for (const button of document.querySelectorAll("figure button")) {
    const figure = button.closest("figure");
    const chart = figure.querySelector(".chart");
    button.hidden = false;
    button.addEventListener("click", async () => {
      const on = chart.hidden;
      try {
        if (on) await load();
      } catch (error) {
        button.textContent = error.message;
        return;
      }
      chart.hidden = !on;
      figure.querySelector(".drawing").hidden = on;
      button.textContent = on ? "drawing" : "interactive";
      if (on) await draw(figure);
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown().forEach(draw));
})();
