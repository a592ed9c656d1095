"""The files of deploy/ say the same as the program: settings, addresses, paths, users. Nothing here runs a container."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from click import Context

from ragd import __version__
from ragd.api.application import routes
from ragd.cli import cli
from ragd.config.loading import load_settings
from ragd.config.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def _loaded(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


COMPOSE = _loaded(DEPLOY / "compose.yaml")[0]
API = COMPOSE["services"]["api"]
WORKER = COMPOSE["services"]["worker"]
ITEMS = [item for path in (DEPLOY / "kubernetes").glob("*.yaml") for item in _loaded(path)]
MANIFESTS = {item["kind"]: item for item in ITEMS}
DEPLOYMENTS = {item["metadata"]["name"]: item["spec"]["template"] for item in ITEMS if item["kind"] == "Deployment"}
POD = DEPLOYMENTS["rag-assistant"]["spec"]
CONTAINER = POD["containers"][0]
WORKERS = DEPLOYMENTS["rag-assistant-worker"]["spec"]


def _image() -> dict[str, str]:
    """What the last stage sets."""
    last = DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]
    return dict(re.findall(r"\b(RAG_\w+)=(\S+)", last))


def _settings(environment: dict[str, str], tmp_path: Path) -> Settings:
    """Raises for a name that is no setting."""
    return load_settings(tmp_path, environment=_image() | environment)


@pytest.mark.parametrize("environment", [API["environment"], MANIFESTS["ConfigMap"]["data"]], ids=["compose", "kubernetes"])
def test_every_variable_is_a_setting_and_there_is_time_to_stop(environment: dict[str, str], tmp_path: Path) -> None:
    settings = _settings(environment, tmp_path)
    assert (settings.security.mode, settings.server.host, settings.server.port) == ("server", "0.0.0.0", 8765)
    assert settings.store.url.startswith("postgresql://rag@")
    assert settings.store.password.startswith("file:/run/secrets/")
    grace = (
        int(API["stop_grace_period"].rstrip("s")) if environment is API["environment"] else POD["terminationGracePeriodSeconds"]
    )
    assert grace > settings.server.drain_s + settings.server.shutdown_grace_s
    assert settings.jobs.queue == "procrastinate"


def test_pods_share_no_volume_and_so_keep_files_in_a_bucket(tmp_path: Path) -> None:
    assert _settings(MANIFESTS["ConfigMap"]["data"], tmp_path).blobs.url.startswith("s3://")
    assert all("persistentVolumeClaim" not in volume for pod in (POD, WORKERS) for volume in pod["volumes"])
    assert WORKER["volumes"] == API["volumes"]  # on one machine it is one folder


def test_a_worker_is_a_service_without_an_address() -> None:
    (container,) = WORKERS["containers"]
    assert (container["args"], WORKER["command"], WORKER["ports"]) == (["worker"], ["worker"], [])
    assert cli.get_command(Context(cli), "worker") is not None
    assert "ports" not in container
    same = ("image", "envFrom", "securityContext", "volumeMounts")
    assert {name: container[name] for name in same} == {name: CONTAINER[name] for name in same}
    assert WORKERS["securityContext"] == POD["securityContext"]
    assert WORKERS["volumes"] == POD["volumes"]


def test_what_answers_and_what_works_scales_and_is_kept() -> None:
    scaled, kept = (
        [item for item in ITEMS if item["kind"] == kind] for kind in ("HorizontalPodAutoscaler", "PodDisruptionBudget")
    )
    by_name = {item["spec"]["scaleTargetRef"]["name"]: item["spec"] for item in scaled}
    assert by_name.keys() == DEPLOYMENTS.keys()
    (metric,) = by_name["rag-assistant-worker"]["metrics"]
    assert metric["external"]["metric"]["name"] in (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    (load,) = by_name["rag-assistant"]["metrics"]
    assert load["resource"]["name"] in CONTAINER["resources"]["requests"]
    (answering,) = [item for item in ITEMS if item["kind"] == "Deployment" and item["metadata"]["name"] == "rag-assistant"]
    assert answering["spec"]["replicas"] == by_name["rag-assistant"]["minReplicas"] == 2
    labels = [DEPLOYMENTS[item["metadata"]["name"]]["metadata"]["labels"] for item in kept]
    assert [item["spec"]["selector"]["matchLabels"] for item in kept] == labels
    assert {item["metadata"]["name"] for item in kept} == DEPLOYMENTS.keys()
    assert DEPLOYMENTS.keys() == {"rag-assistant", "rag-assistant-worker"}


def test_what_the_image_copies_is_there_and_is_sent() -> None:
    allowed = [line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split() if line[0] == "!"]
    copied = [name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()]
    assert copied
    for name in [*copied, "pyproject.toml", "README.md", "LICENSE", "server/ragd"]:
        assert (ROOT / name).exists(), name
        assert any(name == entry or name.startswith(f"{entry}/") for entry in allowed), name
    assert fnmatch.filter(allowed, "*secret*") == []


def test_nobody_is_root_and_only_the_data_is_written() -> None:
    user = re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)
    assert user
    security = POD["securityContext"]
    assert (security["runAsUser"], security["runAsGroup"], security["runAsNonRoot"]) == (int(user[1]), int(user[2]), True)
    assert CONTAINER["securityContext"]["readOnlyRootFilesystem"]
    assert API["read_only"]
    assert {mount["mountPath"] for mount in CONTAINER["volumeMounts"] if not mount.get("readOnly")} == {"/data", "/tmp"}
    assert [API["volumes"][0].split(":")[1], API["tmpfs"][0].split(":")[0]] == ["/data", "/tmp"]
    assert _image()["RAG_DATA_DIR"] == "/data"


def test_versions_and_paths_are_the_daemon_s() -> None:
    assert API["image"] == f"rag-assistant:{__version__}"
    assert [image["newTag"] for image in MANIFESTS["Kustomization"]["images"]] == [__version__]
    probes = [CONTAINER[f"{kind}Probe"] for kind in ("startup", "liveness", "readiness")]
    asked = [probe["httpGet"]["path"] for probe in probes]
    asked.append(DEPLOYMENTS["rag-assistant"]["metadata"]["annotations"]["prometheus.io/path"])
    asked += re.findall(r"http://127\.0\.0\.1:8765(/\w+)", DOCKERFILE)
    assert set(asked) == {"/health", "/ready", "/metrics"}
    assert set(asked) <= set(routes().openapi()["paths"])
    assert MANIFESTS["Service"]["spec"]["ports"][0]["targetPort"] == CONTAINER["ports"][0]["name"]
    assert MANIFESTS["Service"]["spec"]["selector"] == DEPLOYMENTS["rag-assistant"]["metadata"]["labels"]


def test_the_first_key_is_made_by_the_same_user_in_the_same_database() -> None:
    pod = MANIFESTS["Pod"]["spec"]
    keys, (image,) = pod["containers"][0], MANIFESTS["Kustomization"]["images"]
    assert keys["image"] == f"{image['newName']}:{image['newTag']}"
    assert keys["envFrom"] == CONTAINER["envFrom"]
    assert keys["securityContext"] == CONTAINER["securityContext"]
    assert keys["volumeMounts"] == CONTAINER["volumeMounts"]
    assert pod["securityContext"] == {name: POD["securityContext"][name] for name in pod["securityContext"]}
    assert [volume for volume in pod["volumes"] if "secret" in volume] == [
        volume for volume in POD["volumes"] if "secret" in volume
    ]


def test_what_is_mounted_is_declared() -> None:
    volumes = {volume["name"] for volume in POD["volumes"]}
    assert {mount["name"] for mount in CONTAINER["volumeMounts"]} == volumes
    assert set(COMPOSE["secrets"]) == {"database-password", "pip"}
    listed = set(MANIFESTS["Kustomization"]["resources"])
    assert listed == {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")} - {"kustomization.yaml", "first-key.yaml"}
