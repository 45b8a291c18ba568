"""The explorer: a local page with a control for every setting of a scenario, which draws the run after every change.

`state` has the scenario and its link, `controls` the controls, `presets` the scenarios to begin with, `moves` the runs,
`fair` the fair shares and the goals, `numbers` the tables, `texts` the copies, `files` the downloads, `charts` the
figures and `live` logs of events. `server`, `page`, `live.page` and the parts of pages (`panel`, `copies`, `studies`,
`parts`) need NiceGUI.
"""
