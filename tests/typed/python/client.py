"""Calls the examples through clients that are generated from their OpenAPI documents.

Usage: client.py WEATHER CONTENT TOKEN, with the URLs of the servers and the token of a user of the second. mypy checks this file,
too: it reports a comment that ignores an error where there is none.
"""

import datetime
import sys
from collections.abc import Callable
from typing import assert_type

from content_client import AuthenticatedClient as ContentClient
from content_client import models as content
from content_client.api.nodes import create_node, get_node, get_node_at
from content_client.api.transfer import export_site
from weather_client import Client as WeatherClient
from weather_client import models as weather
from weather_client.api.default import explain_columns_at, find_days, get_weather, get_weather_at, get_weather_result
from weather_client.api.discovery import discoveryvalidate_arguments
from weather_client.types import Unset

JULY_4 = datetime.date(2014, 7, 4)


def weather_success(client: WeatherClient) -> None:
    body = weather.GetWeatherInput(location=weather.GetWeatherInputLocation.SEATTLE, date=JULY_4)
    answer = get_weather.sync_detailed(client=client, body=body)
    assert answer.status_code == 200, answer
    assert isinstance(answer.parsed, weather.GetWeatherResponse200), answer
    day = answer.parsed.structured_content
    assert_type(day.temp_max, float)
    assert_type(day.date, datetime.date)
    assert (day.weather, day.temp_max, day.date) == (weather.GetWeatherOutputWeather.SUN, 23.9, JULY_4), day


def weather_optional_inputs(client: WeatherClient) -> None:
    body = weather.FindDaysInput(
        from_=datetime.date(2012, 1, 1),
        to=datetime.date(2012, 1, 31),
        weather=weather.FindDaysInputWeatherType0.SNOW,
        location=None,
    )
    found = find_days.sync(client=client, body=body)
    assert isinstance(found, weather.FindDaysResponse200), found
    days = found.structured_content.days
    assert days and all(day.weather == weather.FindDaysOutputDaysItemWeather.SNOW for day in days), days


def weather_invalid(client: WeatherClient) -> None:
    body = weather.FindDaysInput(from_=JULY_4, to=JULY_4, limit=100_000)
    answer = find_days.sync_detailed(client=client, body=body)
    assert answer.status_code == 422, answer
    assert isinstance(answer.parsed, weather.Error), answer
    problems = answer.parsed.problems
    assert not isinstance(problems, Unset), answer
    assert [(problem.path, problem.keyword) for problem in problems] == [("/limit", "maximum")], problems


def weather_no_such_value(client: WeatherClient) -> None:
    body = weather.GetWeatherInput(location="Paris", date=JULY_4)  # type: ignore[arg-type]
    try:
        get_weather.sync(client=client, body=body)
    except AttributeError:
        return
    raise AssertionError("a location that is no member was sent")


def weather_failing(client: WeatherClient) -> None:
    body = weather.GetWeatherInput(location=weather.GetWeatherInputLocation.SEATTLE, date=datetime.date(1999, 7, 4))
    answer = get_weather.sync_detailed(client=client, body=body)
    assert answer.status_code == 404, answer
    assert isinstance(answer.parsed, weather.Failure), answer
    text = answer.parsed.content[0].text
    assert isinstance(text, str) and text.startswith("no observation on 1999-07-04"), text


def weather_read(client: WeatherClient) -> None:
    by_name = get_weather_result.sync(
        client=client, location=weather.GetWeatherResultLocation.SEATTLE, date=JULY_4
    )
    at_address = get_weather_at.sync(weather.GetWeatherAtLocation.SEATTLE, JULY_4, client=client)
    assert isinstance(by_name, weather.GetWeatherOutput) and by_name == at_address, (by_name, at_address)
    columns = explain_columns_at.sync(client=client)
    assert isinstance(columns, list), columns
    column = columns[-1]
    assert isinstance(column, weather.ExplainColumnsResultItem), column
    assert_type(column.unit, str | None)
    assert column.name == "weather", columns


def weather_discovery(client: WeatherClient) -> None:
    name = weather.DiscoveryvalidateArgumentsName.GET_WEATHER
    verdict = discoveryvalidate_arguments.sync(name, client=client, body={"location": "Seattle"})
    assert isinstance(verdict, weather.Verdict) and not verdict.valid, verdict


def node(title: str) -> content.CreateNodeInput:
    return content.CreateNodeInput.from_dict(
        {
            "kind": "article",
            "title": title,
            "body": "It floats.",
            "components": [{"kind": "quote", "variant": "large", "props": {"text": "Ahoy"}}],
        }
    )


def content_success(client: ContentClient) -> None:
    created = create_node.sync(client=client, body=node("A boat"))
    assert isinstance(created, content.CreateNodeResponse200), created
    found = get_node_at.sync(created.structured_content.id, client=client)
    assert isinstance(found, content.GetNodeOutput), found
    assert_type(found.changed, datetime.datetime)
    block = found.components[0]
    assert isinstance(block, content.GetNodeOutputComponentsItemType1), block
    assert (found.title, block.kind, block.props.text) == ("A boat", "quote", "Ahoy"), found


def content_invalid(client: ContentClient) -> None:
    answer = create_node.sync_detailed(client=client, body=node(""))
    assert answer.status_code == 422, answer
    assert isinstance(answer.parsed, content.Error), answer
    assert answer.parsed.kind == "invalid_input", answer


def content_failing(client: ContentClient) -> None:
    answer = get_node.sync_detailed(client=client, body=content.GetNodeInput(id=99999))
    assert answer.status_code == 404, answer
    assert isinstance(answer.parsed, content.Failure) and answer.parsed.is_error, answer


def content_task(client: ContentClient) -> None:
    answer = export_site.sync_detailed(client=client, body=content.ExportSiteInput(), prefer="respond-async")
    assert answer.status_code == 202, answer
    assert isinstance(answer.parsed, content.Task), answer
    assert answer.parsed.tool == "export_site", answer


def content_unauthorized(url: str) -> None:
    stranger = ContentClient(base_url=url, token="unknown")
    answer = get_node.sync_detailed(client=stranger, body=content.GetNodeInput(id=1))
    assert answer.status_code == 401 and isinstance(answer.parsed, content.Error), answer


def main(weather_url: str, content_url: str, token: str) -> bool:
    weather_client = WeatherClient(base_url=weather_url)
    content_client = ContentClient(base_url=content_url, token=token)
    checks: list[tuple[str, Callable[[], None]]] = [
        ("weather, success", lambda: weather_success(weather_client)),
        ("weather, optional inputs", lambda: weather_optional_inputs(weather_client)),
        ("weather, invalid", lambda: weather_invalid(weather_client)),
        ("weather, no such value", lambda: weather_no_such_value(weather_client)),
        ("weather, failing", lambda: weather_failing(weather_client)),
        ("weather, read", lambda: weather_read(weather_client)),
        ("weather, discovery", lambda: weather_discovery(weather_client)),
        ("content, success", lambda: content_success(content_client)),
        ("content, invalid", lambda: content_invalid(content_client)),
        ("content, failing", lambda: content_failing(content_client)),
        ("content, task", lambda: content_task(content_client)),
        ("content, unauthorized", lambda: content_unauthorized(content_url)),
    ]
    passed = True
    for name, check in checks:
        try:
            check()
            print(f"python: {name} ... ok", flush=True)
        except Exception as error:
            passed = False
            print(f"python: {name} ... FAILED\n{error!r}", flush=True)
    return passed


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
