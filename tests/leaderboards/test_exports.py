"""A board as CSV; what a spreadsheet must not run is tested with catalog.tabular_files."""

from leaderboards.exports import write_csv


def test_rows_end_and_quote_as_rfc_4180_says():
    assert write_csv(["a", "b"], [['x"y', "1,5"]]) == 'a,b\r\n"x""y","1,5"\r\n'
