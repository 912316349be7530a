// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "app/command.hpp"
#include "app/request.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

ExitCode list_command(const Args& args, Console& console) {
  Options spec("kernels list", "", "Lists the built-in kernels.");
  spec.example("trnsim kernels list");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  std::size_t width = 0;
  for (const KernelInfo& kernel : kernels()) width = std::max(width, kernel.name.size());
  for (const KernelInfo& kernel : kernels()) console.out << fmt::format("{:<{}}  {}\n", kernel.name, width, kernel.summary);
  return ExitCode::Done;
}

std::string parameter_table(const KernelInfo& kernel) {
  std::size_t name = 0, value = 0;
  const auto shown = [](const KernelParam& param) { return param.default_value.empty() ? "required" : param.default_value; };
  for (const KernelParam& param : kernel.params) {
    name = std::max(name, param.name.size());
    value = std::max(value, shown(param).size());
  }
  std::string text = fmt::format("{}: {}\n\nParameters:\n", kernel.name, kernel.summary);
  for (const KernelParam& param : kernel.params) {
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", param.name, name, shown(param), value, param.help);
  }
  return text;
}

bool all_required_given(const KernelInfo& kernel, const KernelParams& given) {
  return std::all_of(kernel.params.begin(), kernel.params.end(),
                     [&](const KernelParam& param) { return !param.default_value.empty() || given.contains(param.name); });
}

ExitCode show_command(const Args& args, Console& console) {
  Options spec("kernels show", "NAME [--param …] [--chip NAME|FILE]",
               "Prints the parameters of a kernel and, when all required ones are given, its loop order, blocks,\n"
               "buffers and engines per step on a chip (default trn2).");
  add_chip_options(spec);
  spec.list("param,p", "K=V[,K=V…]", "Parameters to explain").positional(1, 1, "the name of a kernel");
  spec.example("trnsim kernels show matmul --param m=4096,n=4096,k=4096 --chip trn2");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const KernelInfo& kernel = kernel_info(options.positional.front());
  const KernelParams params = parse_params(options.list("param"));
  std::string text = parameter_table(kernel);
  if (all_required_given(kernel, params)) {
    std::vector<std::string> warnings;
    const ChipConfig chip = load(options, "trn2", warnings);
    for (const std::string& warning : warnings) console.err << "trnsim: warning: " << warning << '\n';
    text += "\n" + describe_kernel(kernel.name, params, chip);
  } else if (!params.empty()) {
    text += "\nGive the other required parameters as well to see loop order and buffers.\n";
  }
  console.out << text;
  return ExitCode::Done;
}

}  // namespace

ExitCode kernels_command(const Args& args, Console& console) {
  return run_subcommand("kernels", "Lists and explains the built-in kernels.",
                        {{"list", "List the built-in kernels", list_command},
                         {"show", "Print parameters, loop order, blocks, buffers and engines of one", show_command}},
                        args, console);
}

}  // namespace trnsim::app
