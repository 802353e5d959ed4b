"""Real ranks: mpiexec -n N mini-bert train, as a user starts it."""

import json
import re
import signal
import sys

import pytest

from benchmarks.cluster_kills import kill, wait_for_checkpoint
from benchmarks.cluster_launch import Job, job_of, losses, mpiexec, train
from mini_bert.cli import main
from mini_bert.models.mini import MiniBERT
from mini_bert.training.checkpoints import UNFINISHED, Checkpoints
from mini_bert.training.run_folder import RunFolder

OPTIONS = ("--config", "debugging", "--corpus", "world:200", "--dtype", "float64", "--set", "logging.every=1")
WIDE = (*OPTIONS, "--steps", "8", "--set", "model.hidden_size=128", "--set", "model.max_seq_length=16")
"""More weights than one block of the optimizer has, so that each of two ranks owns some."""


@pytest.fixture(scope="module")
def fifty_steps(tmp_path_factory):
    """The same 50 steps on 1, 2 and 4 ranks, dropout and all."""
    folder = tmp_path_factory.mktemp("fifty")
    for size in (1, 2, 4):
        options = ("--steps", "50", "--set", "model.dropout=0.1", "--out", str(folder / str(size)))
        train(size, *OPTIONS, *options).finish()
    return folder


@pytest.mark.parametrize("size", [2, 4])
def test_ranks_have_the_losses_of_one(fifty_steps, size):
    one, many = (losses(fifty_steps / str(n)) for n in (1, size))
    assert len(one) == 50
    assert many == pytest.approx(one, rel=0, abs=1e-10)
    facts = RunFolder(fifty_steps / str(size)).facts()
    assert (facts["ranks"], facts["workers"]) == (size, 1)


def test_held_out_scores_are_those_of_one_rank(fifty_steps):
    one, many = (list(RunFolder(fifty_steps / str(n)).metrics())[-1] for n in (1, 4))
    for name in ("held_out_loss", "held_out_accuracy"):
        assert many[name] == pytest.approx(one[name], rel=1e-10)


def test_a_sharded_optimizer_has_the_bits_of_a_whole_one(tmp_path):
    for name, sharded in (("whole", "false"), ("sharded", "true")):
        train(2, *WIDE, "--set", f"cluster.shard_optimizer={sharded}", "--out", str(tmp_path / name)).finish()
    whole, sharded = (tmp_path / name / "checkpoints" / "last" for name in ("whole", "sharded"))
    assert MiniBERT.load(whole).num_parameters > 1 << 17
    for file in ("model.safetensors", "moments.safetensors"):
        assert (sharded / file).read_bytes() == (whole / file).read_bytes()


def test_a_killed_rank_ends_the_job_and_the_run_goes_on_with_others(fifty_steps, tmp_path):
    run = tmp_path / "run"
    options = ("--steps", "50", "--save-every", "2", "--set", "model.dropout=0.1")
    job = train(2, *OPTIONS, *options, "--out", str(run))
    wait_for_checkpoint(job, run)
    seconds = kill(job, 1)
    said = job.said()
    assert seconds < 15
    assert "Killed (signal 9)" in said
    assert f"go on, with as many or others, by: mpiexec -n 2 mini-bert train --resume {run}" in said
    assert Checkpoints(run / "checkpoints").newest() is not None
    going_on = train(3, "--resume", str(run)).finish()
    assert "going on from step" in going_on
    assert losses(run) == pytest.approx(losses(fifty_steps / "1"), rel=0, abs=1e-10)
    assert not list(run.glob(f"checkpoints/{UNFINISHED}*"))


def test_a_signal_to_any_rank_stops_all_with_a_checkpoint(tmp_path):
    run = tmp_path / "run"
    job = train(2, *OPTIONS, "--steps", "5000", "--save-every", "2", "--out", str(run))
    wait_for_checkpoint(job, run)
    job.signal(1, signal.SIGTERM)
    said = job.said()
    assert "stopped and saved; go on with" in said
    found = Checkpoints(run / "checkpoints").newest()
    assert found is not None
    assert f"{found.step:,} steps, " in said
    assert job.process.returncode == 128 + signal.SIGTERM


def test_ranks_that_differ_are_refused(tmp_path):
    python = (
        sys.executable,
        "-m",
        "mini_bert",
        "train",
        *OPTIONS,
        "--steps",
        "1",
        "--out",
        str(tmp_path / "run"),
    )
    job = Job([mpiexec(), "-n", "1", *python, ":", "-n", "1", *python, "--seed", "7"])
    assert "error: rank 1 has another seed than rank 0 (7, not 0); start the same command" in job.said()
    assert job.process.returncode == 2
    other = "import mini_bert; mini_bert.__version__ = '9'; from mini_bert.cli import main; raise SystemExit(main())"
    job = Job([mpiexec(), "-n", "1", *python, ":", "-n", "1", sys.executable, "-c", other, *python[3:]])
    assert "rank 1 has another version of mini-bert than rank 0 (9, not" in job.said()
    for name, words in (("one", "a cat sees a dog"), ("two", "a dog sees a cat")):
        (tmp_path / name).mkdir()
        text = "\n\n".join(f"{words} and {number} birds" for number in range(300))
        (tmp_path / name / "text.txt").write_text(text, "utf-8")
    python = (
        *python[:3],
        "train",
        "--config",
        "debugging",
        "--corpus",
        "text.txt",
        "--out",
        str(tmp_path / "run"),
    )
    places = (("-wdir", str(tmp_path / name), "-n", "1", *python) for name in ("one", "two"))
    job = Job([mpiexec(), *next(places), ":", *next(places)])
    assert "rank 1 has another text than rank 0" in job.said()
    assert not (tmp_path / "run").exists()


def test_a_script_is_the_same_for_one_rank_and_for_many(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import json, sys\n"
        "from mini_bert import TrainingConfig, new_run\n"
        "config = TrainingConfig.named('debugging', {'corpus': ['world:200'], 'budget': {'steps': 3}})\n"
        "with new_run(config, sys.argv[1]) as trainer:\n"
        "    ending = trainer.run()\n"
        "    print(json.dumps([ending, trainer.ranks.number, trainer.ranks.size]))\n",
        "utf-8",
    )
    alone, both = (job_of(size, str(script), str(tmp_path / f"run{size}")).finish() for size in (1, 2))
    told = [sorted(re.findall(r'\["finished", \d, \d\]', said)) for said in (alone, both)]
    assert told == [['["finished", 0, 1]'], ['["finished", 0, 2]', '["finished", 1, 2]']]


def test_the_estimate_is_made_by_ranks_and_checked_with_ranks(capfd):
    assert main(["estimate", "--preset", "debug", "--ranks", "2", "--check", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["near"]["measured"]
    two = next(step for step in told["ranks"] if step["ranks"] == 2)
    assert told["checked"]["measured"] > 0
    assert two["reduce"] > 0
    assert two["seconds"] == pytest.approx(two["compute"] + two["reduce"] + two["optimizer"])


SCRIPT = """
import sys
from mini_bert import TrainingConfig, new_run
config = TrainingConfig.named("debugging", {"corpus": ["world:200"], "budget": {"steps": 3}})
with new_run(config, sys.argv[1]) as trainer:
    trainer.run()
    rank = trainer.ranks
"""


@pytest.mark.parametrize(
    ("last", "code", "said"),
    [
        (
            "if rank.leads: print(1 / 0)\nelse: rank.any(True)",
            2,
            "error: rank 0 of 2: division by zero; all ranks end",
        ),
        (
            "if rank.leads: raise ValueError('enough')\nelse: rank.any(True)",
            2,
            "error: rank 0 of 2: enough; all ranks",
        ),
        ("    sys.exit(0)", 0, ""),
        ("    sys.exit(3)", 3, "exit 3; all ranks end with it"),
    ],
    ids=["a bug", "a fault", "leaving in peace", "leaving otherwise"],
)
def test_a_script_that_ends_on_one_rank_ends_on_all(tmp_path, last, code, said):
    script = tmp_path / "script.py"
    script.write_text(f"{SCRIPT}{last}\n", "utf-8")
    job = job_of(2, str(script), str(tmp_path / "run"))
    told = job.said()
    assert said in told
    assert job.process.returncode == code
    assert ("Traceback" in told) == last.startswith("if")


def test_a_rank_that_hangs_is_not_waited_for_forever(tmp_path):
    run = tmp_path / "run"
    options = ("--steps", "100000", "--save-every", "2", "--set", "cluster.patience=0.1", "--out", str(run))
    job = train(2, *OPTIONS, *options)
    wait_for_checkpoint(job, run)
    job.signal(1, signal.SIGSTOP)
    assert (
        "error: rank 0 of 2: other ranks have not answered for 0.1 minutes (cluster.patience)" in job.said()
    )
    assert Checkpoints(run / "checkpoints").newest() is not None


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (
            [
                "-c",
                "import sys; sys.modules['mpi4py'] = None; from mini_bert.cli import main; sys.exit(main())",
            ],
            "mpi4py",
        ),
        (["-m", "mini_bert"], "No such option"),
    ],
    ids=["without mpi4py", "with an option that there is not"],
)
def test_a_rank_that_never_joins_the_others_ends_them(tmp_path, broken, said):
    options = ["train", *OPTIONS, "--steps", "100000", "--out", str(tmp_path / "run")]
    bad = [*broken, *options, *(["--no-such"] if broken[0] == "-m" else [])]
    good = ["-m", "mini_bert", *options]
    job = Job([mpiexec(), "-n", "1", sys.executable, *good, ":", "-n", "1", sys.executable, *bad])
    assert said in job.said()
    assert job.process.returncode != 0
