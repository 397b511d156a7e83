"""Native workflows: data and mask in; prediction, native metric and utility out.

Nothing here knows Django, a clock or global chance. This file imports nothing, so that a web
process which only reads tables does not load the learners.
"""
