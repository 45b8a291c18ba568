"""The functions of charts that run in the browser, as JavaScript."""

RATE = "value => value == null ? '' : Number(value).toFixed(2) + ' Mbit/s'"
"""Shows a rate."""

HOVER = """(at, items, marks, {series, grid}, y) => {
  const escape = text => String(text).replace(/[&<>]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[c]);
  const found = grid.findIndex(each => y < each.top + each.height + 10), plot = found < 0 ? grid.length - 1 : found;
  const few = (lines, most) => {
    // The plot of the pointer is first.
    const shown = [...lines.filter(each => each.plot === plot), ...lines.filter(each => each.plot !== plot)]
      .map(each => each.text);
    return shown.length > most ? [...shown.slice(0, most - 1), `and ${shown.length - most + 1} more`] : shown;
  };
  const number = value => Number(Math.abs(value) < 1000 ? value.toPrecision(4) : value.toFixed(0));
  const curves = items.filter(item => item.value[1] != null).map(item => {
    const {said, unit, type, xAxisIndex} = series[item.seriesIndex], value = item.value[1];
    const words = type === 'bar' ? `${Math.round(100 * value)} % of the time` : `${number(value)} ${unit}`;
    return {plot: xAxisIndex, text: `${item.marker} ${escape(said)}: ${words}`};
  });
  const reasons = marks.map(({colour, name, plot}) =>
    ({plot, text: `<span style="color: ${colour}">◆</span> ${escape(name)}`}));
  return [`<b>${Number(at).toFixed(2)} s</b>`, ...few(reasons, 8), ...few(curves, 18)].join('<br>');
}"""
"""Shows the time of the pointer, the reasons of the marks that are near, and the values of the curves with units."""

WHISKER = """(params, api) => {
  const low = api.coord([api.value(0), api.value(1)]), high = api.coord([api.value(0), api.value(2)]);
  const style = {stroke: api.visual('color'), lineWidth: 2};
  const line = (x1, y1, x2, y2) => ({type: 'line', shape: {x1, y1, x2, y2}, style});
  return {type: 'group', children: [line(low[0], low[1], high[0], high[1]),
    line(low[0] - 5, low[1], low[0] + 5, low[1]), line(high[0] - 5, high[1], high[0] + 5, high[1])]};
}"""
"""Draws an interval."""
