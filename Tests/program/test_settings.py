"""What is set over the bus is in force at once, outlasts the service, and can be taken back."""


def setting(caller, key):
    """The record of a key, as the service has it."""
    [found] = caller.ask("Settings", key=key)["settings"]
    return found


def test_a_value_is_in_force_at_once_and_after_a_restart(bus, start):
    service = start()
    with bus.caller() as caller:
        assert setting(caller, "announce.voice")["origin"] == "file"
        assert caller.ask("SetSetting", key="announce.voice", value="slt") == {}
        assert caller.get("Voice") == "slt"
        assert service.stop() == 0
        start()
        assert caller.get("Voice") == "slt"
        assert setting(caller, "announce.voice")["origin"] == "settings"
