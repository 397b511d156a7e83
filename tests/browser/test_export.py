"""Staff see what an export holds, download it by a click, and look up a column."""

import zipfile

import pytest

from judgments import exports
from tests.judgments.answers import answer_everything, coin
from tests.judgments.desk import make_staff
from tests.judgments.studies import join_ready, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_staff_download_an_export_by_a_click_on_a_small_screen(open_page, axe, tmp_path):
    study = make_study(n_per_domain=3)
    answer_everything([join_ready(study) for _ in range(2)], coin(seed=1))
    make_staff("ada")
    page = open_page(bypass_csp=True, viewport={"width": 320, "height": 700})
    page.goto("/staff/studies/main/export/")
    page.fill("[name=username]", "ada")
    page.fill("[name=password]", "ada")
    with page.expect_navigation():
        page.press("[name=password]", "Enter")
    assert page.locator("h1").inner_text() == "Export"
    assert axe(page) == []
    page.uncheck("text=Parquet")
    with page.expect_download() as download:
        page.click("text=Download as zip")
    archive = tmp_path / "export.zip"
    download.value.save_as(archive)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").iterdir()
    assert exports.verify(folder) == []
    with page.expect_navigation():
        page.click("text=What every column means")
    assert page.locator("h1").inner_text() == "Data dictionary"
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
