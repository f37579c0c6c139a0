"""`loadmaster.share`, `size`, `generate`, `reproduce` and `live`."""

import json

import pytest

import loadmaster as lm


@pytest.fixture(scope="module")
def log():
    return lm.generate.netbatch(jobs=60, hosts=4, seed=3)


def test_shared_machines_give_a_row_a_method_that_is_drawn_and_kept(log, tmp_path):
    shared = lm.share(log, methods=["pvm", "fcfs"], out=tmp_path / "kept")
    assert shared.frame["method"].to_list() == ["pvm", "fcfs"]
    assert "the least of 2 methods" in shared.answer
    assert shared.plot().to_dict()
    assert "mean stretch" in shared.report(tmp_path / "x.html").read_text()
    assert lm.share(log, methods=["pvm", "fcfs"]).frame.equals(shared.frame)


def test_options_that_no_method_looks_at_are_refused_in_python_too(log):
    with pytest.raises(lm.InputError, match=r"--pause.*it works only with methods that migrate"):
        lm.share(log, methods=["pvm"], pause="30s")


def test_methods_that_stretch_nothing_are_told_as_alike():
    log = lm.generate.netbatch(jobs=40, hosts=30, load=0.1, seed=1)
    answer = lm.share(log, methods=["e-pvm", "pvm"]).answer
    assert answer == (
        "Under e-pvm jobs take about as long as alone on average, the least of 2 methods that ran every job, "
        "and 1 other as low"
    )


def test_one_machine_and_one_hour_are_told_in_the_singular():
    sized = lm.size("constant(60)x20", deadline="2h", repetitions=3)
    assert sized.answer.startswith("Rent 1 machine: 1 machine hour on average")
    assert "at most 1 machine hour and" in sized.answer
    assert '"1 machine"' in json.dumps(sized.plot().to_dict())


def test_a_bag_is_sized_from_durations_a_law_or_a_bag(tmp_path):
    sized = lm.size([60.0] * 20, deadline="10min", repetitions=5)
    assert sized.chosen is not None
    number = sized.chosen.label
    assert sized.answer.startswith(
        f"Rent {number} machine{'s' if number != '1' else ''}: {sized.chosen.cost:.4g} machine hours on"
    )
    assert sized.frame.filter("chosen").height == 1
    assert sized.plot().to_dict()
    assert "Rent " in sized.report(tmp_path / "x.html").read_text()
    assert lm.size(lm.generate.bag("constant(60)x20"), deadline=600, repetitions=5).chosen == sized.chosen
    assert lm.size("constant(60)x20", budget=1e-9, repetitions=5).answer.startswith(
        "No row of the table keeps this target"
    )


def test_what_is_generated_is_packed_and_simulated(log, tmp_path):
    (tmp_path / "bag.txt").write_text("3\n4\n")
    assert (log.workload.jobs, log.cluster.hosts) == (60, 4)
    assert lm.pack(lm.generate.virtual_clusters(hosts=4, tasks=12, seed=1)).figures["tasks"] == 12
    with pytest.raises(lm.InputError, match=r"--hosts.*the tasks bring their hosts"):
        lm.pack(lm.generate.virtual_jobs(hosts=4, tasks=12), hosts="4x1c1g")
    with pytest.raises(lm.InputError, match="is a file, not a law"):
        lm.generate.bag(str(tmp_path / "bag.txt"))


def test_a_paper_that_nobody_knows_is_refused(tmp_path):
    with pytest.raises(lm.InputError, match="no such paper; did you mean shai2014"):
        lm.reproduce("shai2015", out=tmp_path)


def test_live_is_the_module_of_real_machines():
    assert lm.live.__name__ == "loadmaster.live"


def test_every_cost_of_a_bag_has_its_unit(tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text("name,price_per_h\nsmall,2.5\n")
    sized = lm.size("constant(60)x20", deadline="2h", repetitions=3, prices=prices, currency="EUR")
    assert sized.answer.startswith("Rent 1 machine of type small: 2.5 EUR on average")
    page = sized.report(tmp_path / "page.html").read_text()
    assert "cost, EUR, 90 % sure" in page
    assert "cost, machine hours" in lm.size("constant(60)x20", repetitions=3).report(tmp_path / "p.html").read_text()
    assert sized.figures["unit"] == "EUR"
    with pytest.raises(lm.InputError, match=r"--currency.*machine hours"):
        lm.size("constant(60)x20", repetitions=3, currency="EUR")


def test_a_deadline_that_only_a_mix_of_machines_keeps_is_not_called_out_of_reach(tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text(
        "name,price_per_h,speed,boot_s,unit_s,minimum_s,limit\nslow,0.05,0.5,60,1,60,20\nfast,0.25,2,45,1,60,4\n"
    )
    deadlines = {"3h": "Rent 20 slow and 2 fast machines together", "30min": "No row of the table keeps this target"}
    for deadline, answer in deadlines.items():
        sized = lm.size("normal(600,100)x200", prices=prices, deadline=deadline, repetitions=10)
        assert sized.answer.startswith(answer)
        assert sized.page()
