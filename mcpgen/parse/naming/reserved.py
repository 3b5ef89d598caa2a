"""Names that are somebody else's: of clients, of Python, of the generated modules, of Windows."""

from __future__ import annotations

import builtins
import keyword

# Tools that clients bring themselves: a server's own tool of that name would be taken for them.
HOST_TOOLS = frozenset("""
    agent apply_patch ask bash computer create_file delete_file edit edit_file execute
    execute_command fetch find_files glob grep list_directory list_dir ls move_file multi_edit
    open_file patch python read read_file read_many_files replace run_command run_shell_command
    search_files shell str_replace task terminal think todo_read todo_write view web_fetch
    web_search write write_file
    """.split())
# Names with a meaning inside a generated module of tools.
MODULE_NAMES = frozenset("""
    api wire models sends omit answer any literal annotations type_checking custom hooks
    """.split())
RESERVED = (
    frozenset(keyword.kwlist)
    | frozenset(map(str.lower, keyword.kwlist))
    | frozenset(keyword.softkwlist)
    | frozenset(dir(builtins))
    | MODULE_NAMES
)
WINDOWS_NAMES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)
NOT_FOR_TOOLS = RESERVED | HOST_TOOLS
NOT_FOR_TOOLSETS = RESERVED | WINDOWS_NAMES
