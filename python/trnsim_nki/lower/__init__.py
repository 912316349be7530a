# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""Instructions that stand for what a kernel says without naming one: copies, broadcasts, fills."""
