"""An option whose value is missing is refused; the command-line library would take the next option for the value."""

from typing import Any


def refusing_options_as_values(command: Any) -> None:
    """Let every option of a command that needs a value refuse the name of another option as one."""
    names = {name for option in command.params if option.param_type_name == "option" for name in option.opts}
    for option in command.params:
        if option.param_type_name == "option" and not (option.count or option.is_flag):
            _refusing(option, names | {"-h", "--help"})


def _refusing(option: Any, names: set[str]) -> None:
    consume = option.consume_value

    def consume_value(context: Any, given: dict[str, Any]) -> Any:
        values = given.get(option.name)
        taken = next((value for value in (values if isinstance(values, list) else [values]) if value in names), None)
        if taken is not None and not context.resilient_parsing:
            raise _refused(option, taken)
        return consume(context, given)

    option.consume_value = consume_value


def _refused(option: Any, taken: str) -> Exception:
    from loadmaster.model.errors import InputError  # here, so that a list of rules need not load the model

    flag = max(option.opts, key=len)
    fix = f"write {flag} {option.metavar or 'VALUE'} {taken}"
    return InputError(f"{flag} {taken}", f"{flag} needs a value", fix=fix)
