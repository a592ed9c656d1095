"""Charts: their axes and ticks, bars and curves, legends, and the values that these give."""
