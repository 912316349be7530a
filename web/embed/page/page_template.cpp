// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "page/page_template.hpp"

#ifdef TRNSIM_PAGE_FILE
// The assembler includes the file: C++20 has no other way that takes no time for a megabyte.
__asm__(
    ".pushsection .rodata\n"
    ".hidden trnsim_page_begin\n"
    ".global trnsim_page_begin\n"
    "trnsim_page_begin:\n"
    ".incbin \"" TRNSIM_PAGE_FILE
    "\"\n"
    ".hidden trnsim_page_end\n"
    ".global trnsim_page_end\n"
    "trnsim_page_end:\n"
    ".popsection\n");

extern "C" {
[[gnu::visibility("hidden")]] extern const char trnsim_page_begin[];
[[gnu::visibility("hidden")]] extern const char trnsim_page_end[];
}

namespace trnsim {
std::string_view page_template() { return {trnsim_page_begin, trnsim_page_end}; }
}  // namespace trnsim
#else
namespace trnsim {
std::string_view page_template() { return {}; }
}  // namespace trnsim
#endif
