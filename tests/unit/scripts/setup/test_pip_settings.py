"""What uv is told of pip's settings."""

from __future__ import annotations

from ..loading import load

pip_settings = load("setup.pip_settings")


class TestPipSettings:
    def test_the_environment_wins_over_the_install_section_and_that_over_the_global_one(self) -> None:
        listed = "global.index-url='https://a.example/simple'\ninstall.index-url='https://b.example/simple'\n"
        assert pip_settings.parse_config_list(listed) == {"index-url": "https://b.example/simple"}
        listed = ":env:.index-url='https://c.example/simple'\n" + listed
        assert pip_settings.parse_config_list(listed) == {"index-url": "https://c.example/simple"}

    def test_sections_of_other_pip_commands_and_empty_values_are_left_out(self) -> None:
        assert pip_settings.parse_config_list("freeze.timeout='10'\nglobal.proxy=''\nnonsense\n") == {}

    def test_without_pip_the_variables_alone_are_read(self) -> None:
        variables = {
            "PIP_EXTRA_INDEX_URL": "https://x.example/s",
            "PIP_DEFAULT_TIMEOUT": "9",
            "HOME": "/h",
        }
        assert pip_settings.from_environment(variables) == {"extra-index-url": "https://x.example/s", "timeout": "9"}

    def test_uv_is_told_where_packages_come_from(self) -> None:
        settings = {
            "index-url": "https://mirror.example/simple",
            "extra-index-url": "\nhttps://one.example/simple\nfile:///two/simple",
            "find-links": "/wheels https://links.example/",
            "no-index": "True",
            "trusted-host": "one.example\ntwo.example",
            "cert": "/etc/company.pem",
            "client-cert": "/etc/me.pem",
            "proxy": "proxy.example:3128",
            "timeout": "0.4",
        }
        told = pip_settings.for_uv(settings, {}, system_certificates="/etc/system.pem")
        assert told.untranslated == ()
        assert told.environment == {
            "UV_INDEX_STRATEGY": "unsafe-best-match",
            "UV_DEFAULT_INDEX": "https://mirror.example/simple",
            "UV_INDEX": "https://one.example/simple file:///two/simple",
            "UV_FIND_LINKS": "/wheels,https://links.example/",
            "UV_NO_INDEX": "true",
            "UV_INSECURE_HOST": "one.example two.example",
            "SSL_CERT_FILE": "/etc/company.pem",
            "SSL_CLIENT_CERT": "/etc/me.pem",
            "ALL_PROXY": "http://proxy.example:3128",
            "UV_HTTP_TIMEOUT": "1",
        }

    def test_what_the_user_set_for_uv_wins_under_its_old_name_too(self) -> None:
        settings = {"index-url": "https://pip.example/simple", "cert": "/pip.pem"}
        own = {"UV_INDEX_URL": "https://uv.example/simple", "SSL_CERT_FILE": "/own.pem"}
        told = pip_settings.for_uv(settings, own, system_certificates=None)
        assert told.environment == {"UV_INDEX_STRATEGY": "unsafe-best-match"}

    def test_the_systems_certificates_are_used_where_none_are_set(self) -> None:
        assert pip_settings.for_uv({}, {}, system_certificates="/sys.pem").environment["SSL_CERT_FILE"] == "/sys.pem"
        requests = {"REQUESTS_CA_BUNDLE": "/requests.pem"}
        assert pip_settings.for_uv({}, requests, system_certificates="/sys.pem").environment["SSL_CERT_FILE"] == "/requests.pem"

    def test_a_setting_that_uv_can_not_be_told_is_named(self) -> None:
        settings = {"only-binary": ":all:", "timeout": "soon", "constraint": "/etc/constraints.txt", "config-file": "f"}
        assert pip_settings.for_uv(settings, {}, system_certificates=None).untranslated == ("only-binary", "timeout")
