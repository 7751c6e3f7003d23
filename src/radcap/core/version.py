"""The version of radcap, the one place that states it; every score signature carries it."""

VERSION = "0.1.0"
