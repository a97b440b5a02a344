"""Checks a configuration on standard input against the schema of Home Assistant.

It runs in Home Assistant's own Python. It prints a JSON list of [component, complaint], empty if
nothing was refused or dropped. Its functions are private, so it fits only one version of Home
Assistant (requirements.txt).
"""

import asyncio
import importlib
import json
import sys

import probatio
from homeassistant.components.mqtt import discovery
from homeassistant.core import HomeAssistant


def judged(config):
    discovery._replace_all_abbreviations(config)
    whole = discovery.DEVICE_DISCOVERY_SCHEMA(config)
    shared = discovery.MQTTDiscoveryPayload({key: whole[key] for key in whole})
    for name, component in whole["components"].items():
        platform = importlib.import_module(
            f"homeassistant.components.mqtt.{component['platform']}")
        given = dict(component)
        given["device"], given["origin"] = whole["device"], whole["origin"]
        component.update(device=whole["device"], origin=whole["origin"])
        discovery._merge_common_device_options(component, shared)
        try:
            known = {str(key) for key in platform.DISCOVERY_SCHEMA(component)}
        except probatio.Invalid as error:
            yield name, str(error)
            continue
        # `platform` has selected the schema, which therefore does not list it.
        dropped = set(given) - known - {"platform"}
        if dropped:
            yield name, f"dropped: {', '.join(sorted(dropped))}"


async def main():
    HomeAssistant("/tmp")
    try:
        print(json.dumps(list(judged(json.load(sys.stdin)))))
    except probatio.Invalid as error:
        print(json.dumps([["the whole", str(error)]]))


asyncio.run(main())
