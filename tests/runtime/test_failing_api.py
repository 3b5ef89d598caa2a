"""An API that fails, or wants to be left alone: what calls do that come meanwhile."""

import asyncio
from typing import Any

import pytest
from calls import reaching, runtime
from upstream import Upstream, http, ok

from mcpgen.runtime import secrets
from mcpgen.runtime.client import queues
from mcpgen.runtime.client.resilience import RetryBudget
from mcpgen.runtime.secrets import Secret

DOWN = http(503, "{}")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures need not go on for seconds."""
    monkeypatch.setattr(queues, "STREAK_SECONDS", 0.0)


def breaking(*replies: Any, failures: int, seconds: float = 30) -> Any:
    """Open the client of an API that is left alone after so many failures, for so long."""
    limits = {"BREAKER_FAILURES": f"{failures}", "BREAKER_SECONDS": f"{seconds}"}
    return reaching(*replies, RETRIES="0", **limits)


async def ask(api: Any, method: str = "GET") -> str:
    try:
        answer = await api.request(method, "/books")
    except runtime.client.ApiError as error:
        return f"{type(error).__name__}: {error}"
    return str(answer.status)


async def test_an_api_that_fails_is_left_alone_and_the_text_says_until_when() -> None:
    async with breaking(DOWN, failures=3, seconds=100) as (api, upstream):
        for _ in range(3):
            assert (await ask(api)).startswith("BadStatus")
        refused = await ask(api)
        assert refused.startswith(
            "Busy: the API failed 3 times in a row (it answered 503): no call"
        )
        assert "UTC (in 100 seconds)" in refused and len(upstream.requests) == 3


async def test_failures_that_come_together_are_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "STREAK_SECONDS", 2.0)
    replies = [DOWN] * 20 + [ok({})]
    async with breaking(*replies, failures=3) as (api, _):
        failed = await asyncio.gather(*(ask(api) for _ in range(20)))
        assert all(text.startswith("BadStatus") for text in failed) and await ask(api) == "200"


async def test_a_server_of_one_caller_bounds_requests_and_leaves_no_api_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runtime.api, "queues", None)
    limits = {"MAX_CONCURRENCY": "3", "MAX_WAITING": "1", "BREAKER_FAILURES": "1"}

    async def slow(request: Any, writer: Any) -> None:
        await asyncio.sleep(0.005)
        writer.write(DOWN)

    async with reaching(slow, RETRIES="0", **limits) as (api, upstream):
        failed = await asyncio.gather(*(ask(api) for _ in range(40)))
        assert all(text.startswith("BadStatus") for text in failed)
        assert (len(upstream.requests), upstream.most, api.gate.running) == (40, 3, 0)


async def test_requests_that_wait_use_up_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime.api, "queues", None)
    release = asyncio.Event()

    async def slow(request: Any, writer: Any) -> None:
        await release.wait()
        writer.write(ok({}))

    async with reaching(slow, MAX_CONCURRENCY="1", RATE_LIMIT="600/m") as (api, upstream):
        asked = [asyncio.create_task(ask(api)) for _ in range(8)]
        while not upstream.requests:
            await asyncio.sleep(0.01)
        assert api._rate.spent <= 2 and api.gate.full
        release.set()
        assert {*await asyncio.gather(*asked)} == {"200"}


async def test_a_token_endpoint_that_is_away_says_nothing_of_what_was_sent_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with reaching(http(502, "{}"), RETRIES="1") as (api, _):
        turn, turns = api._turn, iter([True, False])

        async def without_token(call: Any) -> Any:
            if next(turns):
                return await turn(call)
            raise runtime.client.ApiError("no connection to the token endpoint")

        monkeypatch.setattr(api, "_turn", without_token)
        with pytest.raises(runtime.client.ApiError, match="token endpoint") as caught:
            await api.request("PUT", "/x", json={})
        assert caught.value.sent


async def test_one_call_tries_whether_it_works_again() -> None:
    arrived, release = asyncio.Event(), asyncio.Event()

    async def slow(request: Any, writer: Any) -> None:
        arrived.set()
        await release.wait()
        writer.write(ok({}))

    replies = [DOWN, DOWN, slow, ok({})]
    async with breaking(*replies, failures=2, seconds=0.1) as (api, upstream):
        for _ in range(2):
            await ask(api)
        await asyncio.sleep(0.15)
        trial = asyncio.create_task(ask(api))
        await arrived.wait()
        assert "another call is trying" in await ask(api)
        release.set()
        assert await trial == "200" and await ask(api) == "200" and len(upstream.requests) == 4


async def test_a_trial_that_fails_or_is_cancelled_lets_the_next_one_try() -> None:
    arrived = asyncio.Event()

    async def silent(request: Any, writer: Any) -> None:
        arrived.set()
        await asyncio.sleep(60)

    replies = [DOWN, DOWN, silent, ok({})]
    async with breaking(*replies, failures=1, seconds=0.1) as (api, _):
        await ask(api)
        await asyncio.sleep(0.15)
        assert (await ask(api)).startswith("BadStatus") and "2 times in a row" in await ask(api)
        await asyncio.sleep(0.15)
        trial = asyncio.create_task(ask(api))
        await arrived.wait()
        trial.cancel()
        await asyncio.gather(trial, return_exceptions=True)
        assert await ask(api) == "200"


@pytest.mark.parametrize("status", [200, 404, 429, 500])
async def test_an_answer_shows_that_the_api_works(status: int) -> None:
    replies = [DOWN, http(status, "{}")] * 3
    async with breaking(*replies, failures=2, seconds=100) as (api, _):
        for _ in range(6):
            assert "in a row" not in await ask(api)


async def test_another_origin_is_not_concerned() -> None:
    async with reaching(DOWN, RETRIES="0", BREAKER_FAILURES="1", ALLOW_PRIVATE="true") as (api, _):
        await ask(api)
        assert "in a row" in await ask(api)
        async with Upstream(ok({})) as other:
            object.__setattr__(api.settings, "base_url", f"{other.url}/v1")
            assert await ask(api) == "200"


async def test_the_error_of_an_attempt_is_not_replaced_by_that_of_the_breaker() -> None:
    async with reaching(DOWN, RETRIES="5", BREAKER_FAILURES="2") as (api, upstream):
        # The second attempt opens the circuit; a PUT may have been carried out, which must be said
        assert (await ask(api, "PUT")).startswith("BadStatus") and len(upstream.requests) == 2


async def gone(_: Any, writer: Any) -> None:
    writer.close()


@pytest.mark.parametrize(("first", "status", "method", "lost"), [
    (gone, 404, "DELETE", True), (http(502, ""), 412, "PUT", True), (gone, 404, "GET", False),
    (http(429, "", "", "Retry-After: 0"), 404, "DELETE", False), (gone, 400, "PUT", False),
])  # fmt: skip
async def test_a_change_whose_answer_was_lost_is_not_told_as_missing(
    first: Any, status: int, method: str, lost: bool
) -> None:
    async with reaching(first, http(status, "{}"), RETRIES="1") as (api, _):
        with pytest.raises(runtime.client.BadStatus) as caught:
            await api.request(method, "/x")
        [block] = runtime.client.report.report_error(caught.value, api.settings)
    assert ("may have done it; its answer was lost" in block["text"]) is lost


async def test_zero_failures_never_open_the_circuit() -> None:
    async with breaking(DOWN, failures=0) as (api, _):
        for _ in range(15):
            assert (await ask(api)).startswith("BadStatus")


async def test_retry_after_holds_for_other_calls_too() -> None:
    down = http(503, "{}", "application/json", "Retry-After: 1")
    async with reaching(down, ok({})) as (api, _):
        loop = asyncio.get_running_loop()
        started = loop.time()
        assert (await ask(api, "POST")).startswith("BadStatus") and await ask(api) == "200"
        assert loop.time() - started >= 0.95


LIMITED = http(429, "{}", "application/json", "Retry-After: 100")


async def test_a_limit_holds_for_the_operation_that_reached_it() -> None:
    async with reaching(LIMITED, ok({})) as (api, upstream):
        assert (await ask(api, "POST")).startswith("BadStatus")
        assert (await ask(api, "POST")).startswith("Busy: the API asked for no calls")
        assert await ask(api, "GET") == "200" and len(upstream.requests) == 2


@pytest.mark.parametrize("has_own_credential", [False, True])
async def test_a_limit_holds_for_the_credential_that_reached_it(
    monkeypatch: pytest.MonkeyPatch, has_own_credential: bool
) -> None:
    async def as_caller(api: Any, subject: str) -> str:
        secrets.caller_now.set(secrets.Caller("https://id.test", subject, "", Secret("t"), 0.0, ""))
        return await ask(api, "POST")

    if has_own_credential:
        monkeypatch.setattr(runtime.auth, "PROVIDES", ("key",), raising=False)
    async with reaching(LIMITED, ok({})) as (api, _):
        assert (await as_caller(api, "ada")).startswith("BadStatus")
        assert (await as_caller(api, "ada")).startswith("Busy")
        assert (await as_caller(api, "bob") == "200") == has_own_credential


async def test_a_rest_that_is_too_long_for_a_call_is_said_at_once() -> None:
    limited = http(503, "{}", "application/json", "Retry-After: 100000")
    async with reaching(limited) as (api, upstream):
        assert (await ask(api)).startswith("BadStatus")
        text = await ask(api)
        assert text.startswith("Busy: the API asked for no calls until ")
        # Nothing an API says holds calls back for ever
        assert "(in 300 seconds); try again then" in text and len(upstream.requests) == 1


def test_repetitions_are_a_share_of_the_calls() -> None:
    budget = RetryBudget()
    assert [budget.take() for _ in range(11)] == [True] * 10 + [False]
    for _ in range(10):
        budget.count_call()
    assert [budget.take() for _ in range(3)] == [True, True, False]
    for _ in range(1_000):
        budget.count_call()
    assert [budget.take() for _ in range(11)] == [True] * 10 + [False]


async def test_calls_are_not_repeated_once_the_budget_is_used_up() -> None:
    async with reaching(DOWN, RETRIES="2", BREAKER_FAILURES="0") as (api, upstream):
        for _ in range(20):
            await ask(api)
        # Twenty calls, ten repetitions in reserve, and one for the 6th, the 11th and the 16th call
        assert len(upstream.requests) == 33


@pytest.mark.parametrize("status", ["099", "000", "101"])
async def test_what_is_no_status_of_an_answer_is_no_success(status: str) -> None:
    reply = http(200, '{"done": true}').replace(b" 200 ", f" {status} ".encode())
    async with breaking(reply, failures=0, seconds=1) as (api, _):
        for method in ("GET", "POST"):
            said = await ask(api, method)
            assert said.startswith(("BadAnswer", "TimedOut")), said
