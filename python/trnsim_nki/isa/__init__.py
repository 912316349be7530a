# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""`nki.isa`: one function per hardware instruction."""
