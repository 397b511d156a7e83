import numpy as np

from catalog.workflows.stages import SharedStages


def test_the_same_stage_on_the_same_array_is_computed_once():
    calls = []

    def double(array, times=2):
        calls.append(times)
        return array * times

    stage, ones = SharedStages(), np.ones(3)
    assert stage(double, ones, times=3) is stage(double, ones, times=3)
    assert calls == [3]


def test_other_options_other_arrays_and_other_functions_are_other_stages():
    stage, ones = SharedStages(), np.ones(3)
    results = [
        stage(np.multiply, ones, ones),
        stage(np.add, ones, ones),
        stage(np.add, ones, ones, casting="safe"),
        stage(np.add, ones.copy(), ones),
    ]
    assert len({id(result) for result in results}) == 4


def test_an_array_that_went_away_is_not_mistaken_for_a_new_one_at_its_address():
    stage = SharedStages()
    for number in range(200):
        assert stage(np.sum, np.full(1000, number)) == number * 1000
