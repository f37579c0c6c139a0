"""Lines of a log, as text and as JSON."""

import io
import json
import re
from datetime import datetime

from loadmaster.report.log_lines import LogLines

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def test_text_is_the_time_and_the_message(capsys):
    LogLines("text").write("slurm answers again", "note", waiting=3)
    stream = io.StringIO()
    LogLines("text", stream).write("elsewhere")
    out, err = capsys.readouterr()
    assert re.fullmatch(TIME + r" slurm answers again\n", out)
    assert re.fullmatch(TIME + r" elsewhere\n", stream.getvalue())
    assert err == ""


def test_json_is_one_object_a_line_whatever_the_message_holds(capsys):
    for message in ("two\nlines", 'quotes " and \\', "\x1b[31m", "ä \u2028"):
        LogLines("json").write(message, "cycle", starts=["1", "2"], share=float("nan"))
        (line,) = capsys.readouterr().out.removesuffix("\n").split("\n")
        told = json.loads(line)
        assert list(told) == ["time", "event", "message", "starts", "share"]
        assert datetime.fromisoformat(told["time"]).tzinfo is not None
        assert (told["event"], told["message"], told["starts"], told["share"]) == ("cycle", message, ["1", "2"], None)
