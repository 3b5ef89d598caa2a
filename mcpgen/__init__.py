"""mcpgen turns an API description into an MCP server people are glad to own.

As a library: `generate`, `check` and `diff` do what the commands of these names do, and return what
the commands print. A run that cannot be finished raises `McpgenError`, whose `problems` say why.
"""

from .version import __version__ as __version__
from .version import exports

TYPE_CHECKING = False  # `typing` takes 15 ms, in which an interrupt would be a traceback
if TYPE_CHECKING:
    from .config import Config as Config
    from .config import Selection as Selection
    from .library import check, diff, generate
    from .problems import McpgenError as McpgenError
    from .problems import Problem as Problem

__all__ = [
    "Config",
    "McpgenError",
    "Problem",
    "Selection",
    "__version__",
    "check",
    "diff",
    "generate",
]

__getattr__ = exports(
    __name__,
    {
        "Config": "config",
        "McpgenError": "problems",
        "Problem": "problems",
        "Selection": "config",
        "check": "library",
        "diff": "library",
        "generate": "library",
    },
)
