"""Options and host files that say what the whole cluster has: licences, prices of energy, a power cap."""

import pytest

import loadmaster as lm
from loadmaster.model import Cluster, Constraints, InputError, Named, Workload
from loadmaster.runs.unenforced_constraints import notes_on_licences
from loadmaster.traces.host_files import read_host_file
from loadmaster.verbs.simulate import SimulateOptions

HOSTS = Cluster.uniform(1, cores=4)


@pytest.mark.parametrize("given", ["m=5,bb/s=1K", "m:5,bb/s:1024", {"m": 5, "bb/s": 1024.0}])
def test_licences_read_as_text_and_as_a_mapping(given):
    assert SimulateOptions(licences=given).equipped(HOSTS).rules.licences == (("m", 5.0), ("bb/s", 1024.0))


def test_an_option_replaces_the_number_of_the_host_file_and_leaves_the_others(tmp_path):
    (tmp_path / "h.yaml").write_text("hosts:\n- {count: 2, cores: 4}\nlicences: {m: 20, bb/s: 10T}\n")
    cluster = read_host_file(tmp_path / "h.yaml")
    assert cluster.rules.licences == (("m", 20.0), ("bb/s", 10.0 * 2**40))
    assert SimulateOptions(licences="m=3").equipped(cluster).rules.licences == (("m", 3.0), ("bb/s", 10.0 * 2**40))


@pytest.mark.parametrize("licences", ["[1, 2]", "{m: many}", "{m: 0.5}"])
def test_licences_of_a_host_file_that_do_not_read_are_refused(tmp_path, licences):
    (tmp_path / "h.yaml").write_text(f"hosts:\n- {{count: 2, cores: 4}}\nlicences: {licences}\n")
    with pytest.raises(InputError, match=r"licences: \{matlab: 20"):
        read_host_file(tmp_path / "h.yaml")


def test_a_licence_on_the_command_line_that_does_not_read_is_refused():
    with pytest.raises(InputError, match="--licences matlab=20"):
        SimulateOptions(licences="m;5").equipped(HOSTS)


@pytest.mark.parametrize("option", ["energy_price", "carbon", "power_cap"])
def test_what_needs_the_power_of_hosts_is_refused_without_it(option, tmp_path):
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores\n0,10,1\n")
    with pytest.raises(InputError, match="the power of the hosts is not known"):
        SimulateOptions(tmp_path / "log.csv", "1x4c", **{option: "300"}).case()


def test_licences_without_a_number_are_told_with_their_jobs():
    bound = Constraints(licences=Named.of(["m", "m:2,x", None]))
    jobs = Workload.of(submit_s=[0] * 3, runtime_s=[1] * 3, cores=[1] * 3, constraints=bound)
    (note,) = notes_on_licences(jobs, SimulateOptions(licences="m=5").equipped(HOSTS))
    assert note.startswith("1 job requests licences whose number is not known (x)")
    assert notes_on_licences(jobs, SimulateOptions(licences="m=5,x=1").equipped(HOSTS)) == ()


def test_a_licence_that_no_job_asks_for_is_refused(tmp_path):
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores,licences\n0,10,1,matlab:2\n")
    with pytest.raises(InputError, match=r"'--licences mat': no job .* requests it.* did you mean matlab"):
        SimulateOptions(tmp_path / "log.csv", "1x4c", licences="matlab=3,mat=3").case()
    assert SimulateOptions(tmp_path / "log.csv", "1x4c", licences="matlab=3").case().cluster.rules.licences


@pytest.mark.parametrize(("methods", "said"), [("fcfs", False), ("fcfs,pvm", True)])
def test_share_says_that_methods_that_share_machines_keep_no_constraints(tmp_path, methods, said):
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores,licences\n0,10,1,matlab:2\n0,10,1,matlab:2\n")
    (tmp_path / "h.yaml").write_text("hosts:\n- {count: 2, cores: 4}\nlicences: {matlab: 3}\n")
    made = lm.share(tmp_path / "log.csv", tmp_path / "h.yaml", methods=methods)
    assert any("pvm do not" in note for note in made.notes) is said


LICENSED = "submit_s,runtime_s,cores,licences\n0,60,4,matlab:2\n0,60,4,matlab:2\n"


@pytest.mark.parametrize("hosts", ["1..4x4c", ["1..4x4c@1", "1..2x8c@2"]])
def test_fewest_counts_licences_and_says_in_one_line_that_they_bind(tmp_path, hosts):
    (tmp_path / "log.csv").write_text(LICENSED)
    enough, few = (lm.fewest(tmp_path / "log.csv", hosts, licences={"matlab": number}, mean="1s") for number in (4, 3))
    assert enough.enough
    assert not few.enough
    assert few.answer.endswith("The limit is matlab=3: without it, 4x4c keep the target.")


def test_fewest_refuses_a_power_cap_that_its_search_cannot_keep(tmp_path):
    (tmp_path / "log.csv").write_text(LICENSED)
    (tmp_path / "hosts.csv").write_text("name,count,cores,idle_w,full_w\nn,2,4,100,200\n")
    (tmp_path / "cap.csv").write_text("at,watts\n0,400\n60,500\n")
    asked = {"trace": tmp_path / "log.csv", "hosts": tmp_path / "hosts.csv", "mean": "1s"}
    assert lm.fewest(**asked, power_cap=400).rows[0]["fewest"] == 2
    with pytest.raises(InputError, match="--samples searches by halving"):
        lm.fewest(**asked, power_cap=400, samples=5)
    with pytest.raises(InputError, match="--growth moves the jobs but not the times at which the cap changes"):
        lm.fewest(**asked, power_cap=tmp_path / "cap.csv", growth=1.2)


def test_share_counts_licences_in_its_queue_and_refuses_them_beside_methods_without_one(tmp_path):
    (tmp_path / "log.csv").write_text(LICENSED)
    log, hosts = tmp_path / "log.csv", "2x4c"
    waits = [
        lm.share(log, hosts, methods="easy", licences={"matlab": number}).frame["mean_wait_s"][0] for number in (4, 3)
    ]
    assert waits == [0.0, 30.0]
    with pytest.raises(InputError, match="no job waits for it under pvm"):
        lm.share(log, hosts, methods="easy,pvm", licences="matlab=3")
