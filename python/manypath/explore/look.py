"""The style sheet of the page, light and dark, from the width of a phone on; and the script that fills its charts."""

CSS = """
:root { --ink: #1f2937; --faint: #4b5563; --line: #d1d5db; --ground: #f8fafc; --card: #ffffff; --grid: #d9d9d9;
  --good: #00734f; --bad: #b3261e; --series-1: #0072b2; --series-2: #c24e00; --series-3: #00805a;
  --series-4: #a8588a; --series-5: #9a6a00; --series-6: #1f78a8; --series-7: #7a5a2a; --series-8: #5f5f5f; }
.body--dark .q-btn.bg-primary { --q-primary: #1f6fa8; }
.body--dark { --q-primary: #56b4e9 !important; --ink: #f3f4f6;
  --faint: #a7b0bd; --line: #374151; --ground: #0f141b; --card: #171e27; --grid: #3a4452;
  --good: #4ad3a1; --bad: #ff9d94; --series-1: #56b4e9; --series-2: #f28c4a; --series-3: #3dd6a3; --series-4: #e5a3cb;
  --series-5: #f0b840; --series-6: #8fd0f5; --series-7: #cda86f; --series-8: #989898; }
body { background: var(--ground) !important; color: var(--ink);
  font-family: system-ui, "Segoe UI", Roboto, sans-serif; }
.nicegui-content { padding: 0; gap: 0; }
.x-head { display: flex; align-items: center; gap: 12px; width: 100%; padding: 8px 20px; background: var(--card);
  border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 20; flex-wrap: wrap; }
.x-head h1 { font-size: 18px; line-height: 1.3; font-weight: 650; margin: 0; letter-spacing: 0; }
.x-head .x-status { color: var(--faint); font-size: 13px; flex: 1 1 240px; min-width: 0; }
.x-head .x-bar { position: absolute; left: 0; right: 0; bottom: -2px; height: 3px; }
.x-main { display: grid; grid-template: "side first" auto "side rest" 1fr / 320px minmax(0, 1fr);
  column-gap: 16px; width: 100%; padding: 16px 20px;
  align-items: start; max-width: 2200px; margin: 0 auto; }
.x-first { grid-area: first; min-width: 0; } .x-rest { grid-area: rest; min-width: 0; }
.x-side { grid-area: side; position: sticky; top: 66px; max-height: calc(100vh - 80px); overflow-y: auto; }
.x-card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; width: 100%;
  margin-bottom: 14px; gap: 6px; display: flex; flex-direction: column; min-width: 0; overflow-wrap: anywhere; }
.x-card h2 { font-size: 15px; line-height: 1.3; font-weight: 650; margin: 0; letter-spacing: 0; }
.x-card p, .x-note { color: var(--faint); font-size: 13px; margin: 0; line-height: 1.45; }
.x-control { width: 100%; margin: 2px 0 4px; }
.x-control .q-slider { margin-top: -6px; }
.x-switch { display: flex; align-items: center; justify-content: space-between; padding-right: 12px; }
.x-help { width: 24px; height: 24px; border: 0; background: none; color: var(--faint); padding: 0; cursor: pointer;
  flex: none; display: grid; place-items: center; border-radius: 50%; }
.x-help::before { content: "?"; width: 18px; height: 18px; box-sizing: border-box;
  border: 1px solid; border-radius: 50%;
  font-size: 12px; font-weight: 600; line-height: 16px; text-align: center; }
.x-help:hover { color: var(--ink); }
.q-dialog .q-card { background: var(--card); }
.q-dialog .nicegui-link { color: var(--series-1); }
details.x-card > summary { cursor: pointer; list-style: none; display: flex; justify-content: space-between; }
details.x-card > summary::-webkit-details-marker { display: none; }
details.x-card > summary::after { content: "+"; color: var(--faint); font-weight: 600; }
details.x-card[open] > summary::after { content: "–"; }
.x-control .q-field--error + .q-slider { margin-top: 0; }
.x-control .q-field__bottom { padding-top: 4px; } .x-control .q-field__messages { line-height: 1.3; }
.q-field--error { --q-negative: var(--bad); }
.q-field--error .q-field__label, .q-field--error .q-field__bottom { color: var(--bad) !important; }
.x-refusal { color: var(--bad); font-size: 12px; line-height: 1.3; } .x-refusal:empty { display: none; }
.x-scroll caption { text-align: left; color: var(--faint); font-size: 12px; padding: 2px 0; }
.x-why { color: var(--faint); font-size: 12px; line-height: 1.4; }
.x-row { display: flex; gap: 8px; flex-wrap: wrap; align-items: center; width: 100%; }
.x-row > * { min-width: 0; max-width: 100%; }
.x-lights { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 10px; width: 100%; }
.x-lights > .x-note { grid-column: 1 / -1; }
.x-light { border: 1px solid var(--line); border-left: 5px solid var(--faint); border-radius: 8px; padding: 8px 10px; }
.x-light b { font-size: 14px; } .x-light .x-word { font-weight: 650; color: var(--faint); }
.x-light.holds { border-left-color: var(--good); } .x-light.holds .x-word { color: var(--good); }
.x-light.not { border-left-color: var(--bad); } .x-light.not .x-word { color: var(--bad); }
.x-net { overflow-x: auto; padding-right: 6%; }
.x-net text { font-family: system-ui, "Segoe UI", Roboto, sans-serif !important; }
.x-net svg { width: 100%; height: auto; max-height: 620px; overflow: visible; }
.x-two { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 14px; width: 100%; }
.x-scroll table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
.x-scroll :is(th, td) { padding: 3px 8px; text-align: left; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
.x-scroll .number { text-align: right; }
.x-scroll th { color: var(--faint); font-weight: 600; } .x-scroll th[scope=row] { color: var(--ink); }
.x-scroll { overflow-x: auto; width: 100%; }
.x-events { width: 100%; } .x-events > summary { cursor: pointer; color: var(--faint); font-size: 13px;
  display: flex; gap: 6px; align-items: center; min-height: 24px; }
.x-events > summary::before { content: "▸" / ""; } .x-events[open] > summary::before { content: "▾" / ""; }
.x-code { white-space: pre; overflow: auto; max-height: 60vh; font: 12px/1.5 ui-monospace, monospace; width: 100%;
  background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: 10px; }
.q-expansion-item__container .q-item { padding: 4px 0; min-height: 36px; font-weight: 600; }
.x-skip { position: absolute; left: -9999px; } .x-skip:focus { left: 12px; top: 8px; z-index: 50; }
:focus-visible { outline: 3px solid #e69f00 !important; outline-offset: 1px; }
.x-settings { display: none; }
@media (max-width: 1000px) {
  .x-main { grid-template-columns: 260px minmax(0, 1fr); column-gap: 10px; padding: 10px; }
  .x-net svg { min-width: 440px; } .x-two { grid-template-columns: minmax(0, 1fr); gap: 0; } }
@media (max-width: 759px) {
  .x-main { grid-template: "first" auto "rest" auto / minmax(0, 1fr); }
  .x-settings { display: inline-flex; } .x-lights { grid-template-columns: minmax(0, 1fr); }
  .x-side { display: none; position: fixed; z-index: 15; left: 0; right: 0; top: auto; bottom: 0; max-height: 46vh;
    padding: 10px 10px 0; background: var(--ground); border-top: 1px solid var(--line);
    box-shadow: 0 -6px 18px rgb(0 0 0 / 0.2); }
  .x-open .x-side { display: block; } .x-open.x-main { padding-bottom: 48vh; }
  .x-head { padding: 6px 10px; gap: 4px; }
  .x-head h1 { flex: 1; } .x-head h1 span { display: none; }
  .x-head .x-status { flex: 1 0 50%; order: 5; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
  .x-head .x-late { order: 6; } }
@media (min-width: 560px) and (max-width: 759px) and (max-height: 480px) {
  .x-side { left: auto; width: 46vw; max-height: calc(100vh - 72px); border-left: 1px solid var(--line); }
  .x-open.x-main { padding-right: calc(46vw + 8px); padding-bottom: 10px; } }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important;
  transition: none !important; scroll-behavior: auto !important; } }
"""
"""The style sheet. Colours are those of the figures, and lighter on a dark background. If the system is set to reduced
motion, nothing moves."""

SCRIPT = """
window.manypath = {
  functions: new Map(),
  revived(part) {
    for (const key of Object.keys(part || {})) {
      if (!key.startsWith(':')) continue;
      const text = part[key];
      if (!this.functions.has(text)) this.functions.set(text, new Function('return (' + text + ')')());
      part[key.slice(1)] = this.functions.get(text);
      delete part[key];
    }
  },
  draw(id, text) {
    const element = getElement(id);
    if (!element || !element.chart) { setTimeout(() => this.draw(id, text), 20); return; }
    const option = JSON.parse(text);
    this.revived(option.tooltip);
    const hover = option.tooltip?.formatter;
    if (hover) option.tooltip.formatter = items => {
      const at = items[0].axisValue;
      return hover(at, items, this.marks(element, option.series, at), option, element.pointer);
    };
    for (const legend of [option.legend].flat()) if (legend.labels) legend.formatter = name => legend.labels[name];
    option.series.forEach(series => this.revived(series));
    const shape = JSON.stringify([option.series.map(series => series.name), option.grid]);
    const chart = element.chart, box = chart.getDom();
    // A resize draws the old option again.
    if (chart.getWidth() !== box.clientWidth || chart.getHeight() !== box.clientHeight) chart.resize();
    if (!element.shape) {
      element.selected = {};
      chart.on('legendselectchanged', event => {
        const all = {...element.selected, ...event.selected};
        element.selected = Object.fromEntries(Object.entries(all).filter(each => !each[1]));
      });
      chart.getZr().on('mousemove', event => { element.pointer = event.offsetY; });
    }
    // What is hidden stays hidden by its name.
    for (const legend of [option.legend].flat()) legend.selected = {...element.selected};
    chart.setOption(option, {notMerge: shape !== element.shape});
    element.shape = shape;
  },
  // ECharts describes only the series whose points are nearest to the pointer, and samples are denser than marks.
  marks({chart, selected}, series, at) {
    const time = pixel => chart.convertFromPixel({xAxisIndex: 0}, pixel), width = time(5) - time(0);
    return series.filter(each => each.type === 'scatter' && selected[each.name] !== false).flatMap(each => each.data
      .filter(mark => Math.abs(mark.value[0] - at) < width)
      .map(mark => ({colour: each.itemStyle.color, name: mark.name, plot: each.xAxisIndex})));
  },
  focused: null,
  focus() {
    const before = this.focused?.getAttribute('aria-label');
    if (!before || this.focused.isConnected || document.activeElement !== document.body) return;
    const again = [...document.querySelectorAll('.x-side [aria-label]')]
      .find(each => each.getAttribute('aria-label') === before);
    if (again) again.focus();
  },
  name() {
    for (const field of document.querySelectorAll('[data-name]')) {
      const input = field.closest('.q-field').querySelector('[role=combobox]');
      if (input) input.setAttribute('aria-label', field.dataset.name);
    }
    for (const list of document.querySelectorAll('[role=listbox]')) {
      const input = list.id && document.querySelector(`[role=combobox][aria-controls="${list.id}"]`);
      if (input) list.setAttribute('aria-label', input.getAttribute('aria-label'));
    }
    for (const slider of document.querySelectorAll('.q-slider[aria-label]')) {
      slider.querySelector('[tabindex]')?.setAttribute('aria-label', slider.getAttribute('aria-label'));
    }
  },
};
document.documentElement.lang = 'en';
// ECharts stops all turns of the wheel over plots, also those that it does not use. Without a key they scroll the page.
for (const type of ['wheel', 'mousewheel']) document.addEventListener(type, event => {
  if (!event.ctrlKey && !event.shiftKey && event.target.closest('.nicegui-echart')) event.stopPropagation();
}, {capture: true, passive: true});
document.addEventListener('focusin', event => { window.manypath.focused = event.target; });
new MutationObserver(() => {
  cancelAnimationFrame(window.manypath.naming);
  window.manypath.naming = requestAnimationFrame(() => { window.manypath.name(); window.manypath.focus(); });
}).observe(document.documentElement, {childList: true, subtree: true});
"""
"""Fills a chart with an option; keys that begin with a colon hold the source of functions. Names lists and
sliders for screen readers: Quasar's lists take no name but their visible label, such as *queue* for each link, and the
part of its sliders that gets the focus has none. A control that the page builds again keeps the focus."""
