"""The timeline of a live run under CPU shares, of commands or of virtual machines."""

from dataclasses import replace
from pathlib import Path

from loadmaster.live.guests.check import FILE as GUESTS
from loadmaster.live.guests.timeline import guest_timeline_in
from loadmaster.live.session.record_file import RecordFile, damage_named
from loadmaster.live.shares.check import FILE as SHARES
from loadmaster.live.shares.timeline import share_timeline_in
from loadmaster.runs.share_timeline import ShareTimeline


def share_timeline_of(folder: Path) -> ShareTimeline:
    """Of the record in `folder`, whichever of the two it is.

    Raises:
        InputError: there is none, or it is damaged.
    """
    guests = (folder / GUESTS).is_file()
    goes_on = RecordFile(folder / (GUESTS if guests else SHARES)).is_being_written()
    with damage_named(folder):
        return replace(guest_timeline_in(folder) if guests else share_timeline_in(folder), goes_on=goes_on)
