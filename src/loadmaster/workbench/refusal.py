"""The refusal of a browser's request, in one line."""


class Refused(Exception):
    """A request that is not served.

    Attributes:
        status: of HTTP.
        why: one sentence for the reader.
    """

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why
