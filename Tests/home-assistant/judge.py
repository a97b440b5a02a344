"""Holds a configuration on standard input to the schema of Home Assistant, whose Python this runs in.

Writes for each component what of it was refused or dropped, as JSON: nothing is wanted. Its functions
are private, so this is of one version of it (requirements.txt).
"""

import asyncio
import importlib
import json
import sys

import voluptuous
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
        except voluptuous.Invalid as error:
            yield name, str(error)
            continue
        # The platform has chosen the schema.
        dropped = set(given) - known - {"platform"}
        if dropped:
            yield name, f"dropped: {', '.join(sorted(dropped))}"


async def main():
    HomeAssistant("/tmp")
    try:
        print(json.dumps(list(judged(json.load(sys.stdin)))))
    except voluptuous.Invalid as error:
        print(json.dumps([["the whole", str(error)]]))


asyncio.run(main())
