"""How it counts: pure measures of surfaces, and the numerical controls. README.md lists them."""

VERSION = "1.0.0"
