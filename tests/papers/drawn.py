"""What a drawn figure shows, without the time of its files."""

from manypath.figures.picture import Picture


def plots(picture: Picture) -> list[bool]:
    """Return for each plot of a figure whether it shows data."""
    return [axes.has_data() for axes in picture.figure.axes]
