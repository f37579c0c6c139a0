"""Refuses an option that is given two values, or no value. Typer would take the last one, or the next option."""

from typing import Any


def refusing_two_values(command: Any) -> None:
    """Let every option of a Typer command that may not be repeated refuse another value; the same again is harmless."""
    for option in command.params:
        if option.param_type_name == "option" and not (option.multiple or option.count or option.is_flag):
            _refusing(option)


def _refusing(option: Any) -> None:
    add, consume = option.add_to_parser, option.consume_value

    def add_to_parser(parser: Any, context: Any) -> None:
        add(_AllValues(parser), context)

    def consume_value(context: Any, given: dict[str, Any]) -> Any:
        values = given.get(option.name)
        if not isinstance(values, list):
            return consume(context, given)
        if len({*values}) > 1 and not context.resilient_parsing:
            raise _refusal(option, values)
        return consume(context, {**given, option.name: values[-1]})

    option.add_to_parser, option.consume_value = add_to_parser, consume_value


class _AllValues:
    """A parser that keeps every value of an option, where it would keep the last."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def add_option(self, action: str = "store", **more: Any) -> None:
        self._parser.add_option(action=action.replace("store", "append"), **more)


def _refusal(option: Any, values: list[Any]) -> Exception:
    from loadmaster.model.errors import InputError  # here, so that a list of rules need not load the model

    flag = max(option.opts, key=len)
    listed = "," in (option.metavar or "")
    fix = f"write {flag} {','.join(map(str, values))}" if listed else "give one"
    return InputError(" ".join(f"{flag} {value}" for value in values), f"{flag} is given twice", fix=fix)


def refusing_options_as_values(command: Any) -> None:
    """Let every option of a command that needs a value refuse the name of another option as one."""
    names = {name for option in command.params if option.param_type_name == "option" for name in option.opts}
    for option in command.params:
        if option.param_type_name == "option" and not (option.count or option.is_flag):
            _refuse_names(option, names | {"-h", "--help"})


def _refuse_names(option: Any, names: set[str]) -> None:
    consume = option.consume_value

    def consume_value(context: Any, given: dict[str, Any]) -> Any:
        values = given.get(option.name)
        taken = next((value for value in (values if isinstance(values, list) else [values]) if value in names), None)
        if taken is not None and not context.resilient_parsing:
            raise _no_value(option, taken)
        return consume(context, given)

    option.consume_value = consume_value


def _no_value(option: Any, taken: str) -> Exception:
    from loadmaster.model.errors import InputError  # here, so that a list of rules need not load the model

    flag = max(option.opts, key=len)
    fix = f"write {flag} {option.metavar or 'VALUE'} {taken}"
    return InputError(f"{flag} {taken}", f"{flag} needs a value", fix=fix)
