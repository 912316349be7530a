# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""`nki.language`: tensors, loops and functions on tiles, lowered to instructions."""
