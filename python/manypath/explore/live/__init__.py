"""Logs of events that are shown while they are written: associations of real hosts, emulations, testbeds and runs.

`source` reads a file that grows, a pipe or a socket; `log` reads its lines; `flow`, `marks`, `curve` and `payload` keep
what is drawn, in bounded memory; `follower` does so in a thread; `plots` has the charts and `page` the page. Only
`page` needs NiceGUI.
"""
