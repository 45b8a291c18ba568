// Filters the claims of a page, and opens the target of a link.
(() => {
  "use strict";
  const claims = [...document.querySelectorAll("details.claim")];

  // Shows the claims that match the form; returns a function that shows all claims.
  const filtering = form => {
    const chips = [...form.querySelectorAll(".chips button")];
    const figure = form.querySelector("select");
    const words = form.querySelector("input");
    const all = form.querySelector(".all");

    const filter = () => {
      const verdicts = chips.filter(chip => chip.getAttribute("aria-pressed") === "true").map(chip => chip.value);
      const wanted = words.value.trim().toLowerCase();
      for (const claim of claims) {
        claim.hidden = !((verdicts.length === 0 || verdicts.includes(claim.dataset.verdict))
          && (figure.value === "" || figure.value === claim.dataset.figure)
          && claim.textContent.toLowerCase().includes(wanted));
      }
      const shown = claims.filter(claim => !claim.hidden).length;
      form.querySelector("output").textContent = `${shown} of ${claims.length} shown`;
    };

    for (const chip of chips) {
      chip.addEventListener("click", () => {
        chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
        filter();
      });
    }
    figure.addEventListener("change", filter);
    words.addEventListener("input", filter);
    form.addEventListener("submit", event => event.preventDefault());
    all.addEventListener("click", () => {
      const open = all.textContent === "open all";
      for (const claim of claims) claim.open = open;
      all.textContent = open ? "close all" : "open all";
    });
    form.hidden = false;
    filter();
    return () => {
      for (const chip of chips) chip.setAttribute("aria-pressed", "false");
      figure.value = words.value = "";
      filter();
    };
  };

  const form = document.querySelector("form.filter");
  const showAll = form ? filtering(form) : () => {};

  // A target may be hidden by the filter, be inside a closed element, or contain one.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.hidden) showAll();
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    const first = target.querySelector(":scope > details.more");
    if (first) first.open = true;
    target.scrollIntoView();
  };

  addEventListener("hashchange", reveal);
  // A second click on a link to the same place changes no hash.
  document.addEventListener("click", event => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) reveal();
  });
  reveal();
})();
