"""The functions of charts that run in the browser, as JavaScript."""

RATE = "value => value == null ? '' : Number(value).toFixed(2) + ' Mbit/s'"
"""Shows a rate."""

HOVER = """(at, items, marks) => {
  const escape = text => String(text).replace(/[&<>]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[c]);
  const known = items.filter(item => item.value[1] != null);
  const said = known.map(item => item.marker + ' ' + escape(item.seriesName) + ': ' + (item.seriesType === 'bar'
    ? Math.round(100 * item.value[1]) + ' % of the time' : Number(item.value[1]).toFixed(1)));
  const reasons = marks.map(mark => `<span style="color: ${mark.colour}">◆</span> ${escape(mark.name)}`);
  return ['<b>' + Number(at).toFixed(2) + ' s</b>', ...reasons, ...said].join('<br>');
}"""
"""Shows the time of the pointer, the reasons of the marks that are near, and the values of the curves."""

WHISKER = """(params, api) => {
  const low = api.coord([api.value(0), api.value(1)]), high = api.coord([api.value(0), api.value(2)]);
  const style = {stroke: api.visual('color'), lineWidth: 2};
  const line = (x1, y1, x2, y2) => ({type: 'line', shape: {x1, y1, x2, y2}, style});
  return {type: 'group', children: [line(low[0], low[1], high[0], high[1]),
    line(low[0] - 5, low[1], low[0] + 5, low[1]), line(high[0] - 5, high[1], high[0] + 5, high[1])]};
}"""
"""Draws an interval."""
