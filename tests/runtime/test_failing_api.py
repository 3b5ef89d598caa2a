"""An API that fails, or wants to be left alone: what calls do that come meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from upstream import Upstream, http, ok

from mcpgen.runtime import caller
from mcpgen.runtime.client import health
from mcpgen.runtime.limits import RetryBudget
from mcpgen.runtime.secrets import Secret

DOWN = http(503, "{}")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures need not go on for seconds."""
    monkeypatch.setattr(health, "STREAK_SECONDS", 0.0)


async def outcomes(
    runtime: Any, settings: Any, replies: list[Any], use: Any, **variables: str
) -> Any:
    """What `use` returns, which is given the API and the upstream."""
    async with Upstream(*replies) as upstream:
        made = settings(f"{upstream.url}/v1", **variables)
        object.__setattr__(made, "backoff", 0.01)
        async with runtime.api.Api(made, runtime.auth) as api:
            return await use(api, upstream)


async def ask(runtime: Any, api: Any, method: str = "GET") -> str:
    try:
        answer = await api.request(method, "/books")
    except runtime.errors.ApiError as error:
        return f"{type(error).__name__}: {error}"
    return str(answer.status)


def test_an_api_that_fails_is_left_alone_and_the_text_says_until_when(
    runtime: Any, settings: Any, run: Any
) -> None:
    async def use(api: Any, upstream: Any) -> None:
        for _ in range(3):
            assert (await ask(runtime, api)).startswith("BadStatus")
        refused = await ask(runtime, api)
        assert refused.startswith(
            "Busy: the API failed 3 times in a row (it answered 503): no call"
        )
        assert "UTC (in 100 seconds)" in refused
        assert len(upstream.requests) == 3

    run(
        outcomes(
            runtime, settings, [DOWN], use, RETRIES="0", BREAKER_FAILURES="3", BREAKER_SECONDS="100"
        )
    )


def test_failures_that_come_together_are_no_reason(
    runtime: Any, settings: Any, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "STREAK_SECONDS", 2.0)

    async def use(api: Any, upstream: Any) -> None:
        failed = await asyncio.gather(*(ask(runtime, api) for _ in range(20)))
        assert all(text.startswith("BadStatus") for text in failed)
        assert await ask(runtime, api) == "200"

    replies = [DOWN] * 20 + [ok({})]
    run(outcomes(runtime, settings, replies, use, RETRIES="0", BREAKER_FAILURES="3"))


def test_one_call_tries_whether_it_works_again(runtime: Any, settings: Any, run: Any) -> None:
    arrived, release = asyncio.Event(), asyncio.Event()

    async def slow(request: Any, writer: Any) -> None:
        arrived.set()
        await release.wait()
        writer.write(ok({}))

    async def use(api: Any, upstream: Any) -> None:
        for _ in range(2):
            await ask(runtime, api)
        await asyncio.sleep(0.15)
        trial = asyncio.create_task(ask(runtime, api))
        await arrived.wait()
        assert "another call is trying" in await ask(runtime, api)
        release.set()
        assert await trial == "200"
        assert await ask(runtime, api) == "200"
        assert len(upstream.requests) == 4

    replies = [DOWN, DOWN, slow, ok({})]
    run(
        outcomes(
            runtime,
            settings,
            replies,
            use,
            RETRIES="0",
            BREAKER_FAILURES="2",
            BREAKER_SECONDS="0.1",
        )
    )


def test_a_trial_that_fails_or_is_cancelled_lets_the_next_one_try(
    runtime: Any, settings: Any, run: Any
) -> None:
    arrived = asyncio.Event()

    async def silent(request: Any, writer: Any) -> None:
        arrived.set()
        await asyncio.sleep(60)

    async def use(api: Any, upstream: Any) -> None:
        await ask(runtime, api)
        await asyncio.sleep(0.15)
        assert (await ask(runtime, api)).startswith("BadStatus")
        assert "2 times in a row" in await ask(runtime, api)
        await asyncio.sleep(0.15)
        trial = asyncio.create_task(ask(runtime, api))
        await arrived.wait()
        trial.cancel()
        await asyncio.gather(trial, return_exceptions=True)
        assert await ask(runtime, api) == "200"

    replies = [DOWN, DOWN, silent, ok({})]
    run(
        outcomes(
            runtime,
            settings,
            replies,
            use,
            RETRIES="0",
            BREAKER_FAILURES="1",
            BREAKER_SECONDS="0.1",
        )
    )


@pytest.mark.parametrize("status", [200, 404, 429, 500])
def test_an_answer_shows_that_the_api_works(
    runtime: Any, settings: Any, run: Any, status: int
) -> None:
    async def use(api: Any, upstream: Any) -> None:
        for _ in range(6):
            assert "in a row" not in await ask(runtime, api)

    replies = [DOWN, http(status, "{}")] * 3
    run(
        outcomes(
            runtime,
            settings,
            replies,
            use,
            RETRIES="0",
            BREAKER_FAILURES="2",
            BREAKER_SECONDS="100",
        )
    )


def test_another_origin_is_not_concerned(runtime: Any, settings: Any, run: Any) -> None:
    async def use(api: Any, upstream: Any) -> None:
        await ask(runtime, api)
        assert "in a row" in await ask(runtime, api)
        async with Upstream(ok({})) as other:
            object.__setattr__(api.settings, "base_url", f"{other.url}/v1")
            assert await ask(runtime, api) == "200"

    run(
        outcomes(
            runtime, settings, [DOWN], use, RETRIES="0", BREAKER_FAILURES="1", ALLOW_PRIVATE="true"
        )
    )


def test_the_error_of_an_attempt_is_not_replaced_by_that_of_the_breaker(
    runtime: Any, settings: Any, run: Any
) -> None:
    async def use(api: Any, upstream: Any) -> None:
        # The second attempt opens the circuit; a PUT may have been carried out, which must be said
        assert (await ask(runtime, api, "PUT")).startswith("BadStatus")
        assert len(upstream.requests) == 2

    run(outcomes(runtime, settings, [DOWN], use, RETRIES="5", BREAKER_FAILURES="2"))


def test_zero_failures_never_open_the_circuit(runtime: Any, settings: Any, run: Any) -> None:
    async def use(api: Any, upstream: Any) -> None:
        for _ in range(15):
            assert (await ask(runtime, api)).startswith("BadStatus")

    run(outcomes(runtime, settings, [DOWN], use, RETRIES="0", BREAKER_FAILURES="0"))


def test_retry_after_holds_for_other_calls_too(runtime: Any, settings: Any, run: Any) -> None:
    down = http(503, "{}", "application/json", "Retry-After: 1")

    async def use(api: Any, upstream: Any) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()
        assert (await ask(runtime, api, "POST")).startswith("BadStatus")
        assert await ask(runtime, api) == "200"
        assert loop.time() - started >= 0.95

    run(outcomes(runtime, settings, [down, ok({})], use))


LIMITED = http(429, "{}", "application/json", "Retry-After: 100")


def test_a_limit_holds_for_the_operation_that_reached_it(
    runtime: Any, settings: Any, run: Any
) -> None:
    async def use(api: Any, upstream: Any) -> None:
        assert (await ask(runtime, api, "POST")).startswith("BadStatus")
        assert (await ask(runtime, api, "POST")).startswith("Busy: the API asked for no calls")
        assert await ask(runtime, api, "GET") == "200"
        assert len(upstream.requests) == 2

    run(outcomes(runtime, settings, [LIMITED, ok({})], use))


@pytest.mark.parametrize("has_own_credential", [False, True])
def test_a_limit_holds_for_the_credential_that_reached_it(
    runtime: Any,
    settings: Any,
    run: Any,
    monkeypatch: pytest.MonkeyPatch,
    has_own_credential: bool,
) -> None:
    async def as_caller(api: Any, subject: str) -> str:
        caller.caller_now.set(caller.Caller("https://id.test", subject, "", Secret("t"), 0.0))
        return await ask(runtime, api, "POST")

    async def use(api: Any, upstream: Any) -> None:
        assert (await as_caller(api, "ada")).startswith("BadStatus")
        assert (await as_caller(api, "ada")).startswith("Busy")
        assert (await as_caller(api, "bob") == "200") == has_own_credential

    if has_own_credential:
        monkeypatch.setattr(runtime.auth, "PROVIDES", ("key",), raising=False)
    run(outcomes(runtime, settings, [LIMITED, ok({})], use))


def test_a_rest_that_is_too_long_for_a_call_is_said_at_once(
    runtime: Any, settings: Any, run: Any
) -> None:
    limited = http(503, "{}", "application/json", "Retry-After: 100000")

    async def use(api: Any, upstream: Any) -> None:
        assert (await ask(runtime, api)).startswith("BadStatus")
        text = await ask(runtime, api)
        assert text.startswith("Busy: the API asked for no calls until ")
        # Nothing an API says holds calls back for ever
        assert "(in 300 seconds); try again then" in text
        assert len(upstream.requests) == 1

    run(outcomes(runtime, settings, [limited], use))


def test_repetitions_are_a_share_of_the_calls() -> None:
    budget = RetryBudget()
    assert [budget.take() for _ in range(11)] == [True] * 10 + [False]
    for _ in range(10):
        budget.count_call()
    assert [budget.take() for _ in range(3)] == [True, True, False]


def test_calls_are_not_repeated_once_the_budget_is_used_up(
    runtime: Any, settings: Any, run: Any
) -> None:
    async def use(api: Any, upstream: Any) -> None:
        for _ in range(20):
            await ask(runtime, api)
        # Twenty calls, ten repetitions in reserve and a fifth of the calls
        assert 30 <= len(upstream.requests) <= 35

    run(outcomes(runtime, settings, [DOWN], use, RETRIES="2", BREAKER_FAILURES="0"))
