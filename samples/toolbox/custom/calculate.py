"""The tool `calculate`: arithmetic by walking the syntax tree, so that nothing but arithmetic can
happen.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import ToolError

if TYPE_CHECKING:
    from .. import models

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
LARGEST = 1e300
EXPONENT = 1000


def calculate(*, expression: str) -> models.CalculateAnswer:
    """Calculate what an arithmetic expression is worth."""
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
    except ZeroDivisionError:
        raise ToolError("that divides by zero") from None
    except (OverflowError, ValueError):
        raise ToolError("the result is too large, or no number") from None
    except (SyntaxError, RecursionError, MemoryError):
        raise ToolError("that is not an arithmetic expression; for example `(2 + 3) * 4`") from None
    return {"value": value}


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _bounded(number)
        case ast.UnaryOp(op=op, operand=inner) if type(op) in OPERATORS:
            return _bounded(OPERATORS[type(op)](_value(inner)))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, exponent = _value(left), _value(right)
            if abs(exponent) > EXPONENT:
                raise OverflowError
            return _bounded(float(base) ** exponent)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return _bounded(OPERATORS[type(op)](_value(left), _value(right)))
    raise ToolError(f"`{ast.unparse(node)[:60]}` is not arithmetic")


def _bounded(number: Any) -> float:
    if isinstance(number, complex) or not math.isfinite(number) or abs(number) > LARGEST:
        raise OverflowError
    return float(number) if isinstance(number, float) else int(number)
