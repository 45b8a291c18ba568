"""A figure like figure 4 of ConTEL 2011 [D11] in ten lines: two dissimilar paths, and a rival on the southern one.

A marimo notebook: `marimo edit examples/figure_in_ten_lines.py`, or as a script.
"""

import marimo

app = marimo.App(app_title="A figure in ten lines")


@app.cell
def _():
    import marimo as mo

    import manypath as mp

    mo.md(
        """
        # A paper's figure in ten lines

        One flow uses two paths, and a rival uses the southern path. The northern path has 5 Mbit/s, the rate of
        the southern one varies. Figure 4 of ConTEL 2011 compares four congestion controls in this scenario.
        `manypath papers dreibholz2011_impact --figure 4` draws it from more and longer runs, and checks the
        paper's claims about it.
        """
    )
    return (mp,)


@app.cell
def _(mp):
    def unlike_paths(cc, south):
        """Return a scenario with a flow on two paths and a rival on the southern one."""
        link = mp.Link(rate="5 Mbit/s", delay="1 ms", queue=mp.DropTail(packets=100))
        network = mp.disjoint(south=link.but(rate=south), north=link)
        flows = {"cmt": mp.Sctp(paths=["south", "north"], cc=cc), "single": mp.Sctp(paths=["south"])}
        return mp.Scenario(network=network, flows=flows, warmup="10 s", measure="30 s")

    factors = {"cc": ["newreno", "cmt-rpv1", "cmt-rpv2", "mptcp-like"], "south": ["2 Mbit/s", "5 Mbit/s", "10 Mbit/s"]}
    results = mp.Campaign(unlike_paths, factors, replications=3).run(store=None, progress=False)
    picture = mp.figures.lines(results, x="south", x_label="southern rate in Mbit/s")
    return picture, results


@app.cell
def _(picture, results):
    print(results.mean("goodput", by=["cc", "south", "flow"]).round(1).to_string(index=False))
    picture
    return


if __name__ == "__main__":
    app.run()
