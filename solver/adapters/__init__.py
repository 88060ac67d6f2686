"""Bridges to other people's programs; each needs the package it is named after."""
