// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/layers.hpp"

#include <gtest/gtest.h>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

std::vector<Layer> layers_of(const std::string& text) { return parse_layers(text, "net.csv").layers; }

std::vector<std::string> warnings_of(const std::string& text) { return parse_layers(text, "net.csv").warnings; }

std::vector<std::string> problems_of(const std::string& text, bool strict = false) {
  try {
    (void)parse_layers(text, "net.csv", strict);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

bool contains(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

std::string sizes(const Layer& l) {
  return l.name + " " + std::to_string(l.m) + " " + std::to_string(l.n) + " " + std::to_string(l.k) + " x" + std::to_string(l.groups);
}

const std::string kConvolution = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,";

TEST(Layers, CommaAtTheEndOfARowChangesNothing) {
  for (const char* text : {"a,128,512,1536\n", "a,128,512,1536,\n", "a,128,512,1536,,,\n"}) {
    const auto layers = layers_of(text);
    ASSERT_EQ(layers.size(), 1u) << text;
    EXPECT_EQ(sizes(layers.front()), "a 128 512 1536 x1");
  }
}

TEST(Layers, LineEndsOfWindowsLeaveNothingInNames) {
  const auto layers = layers_of("Layer,M,N,K,\r\nG0,128,128,128,\r\n");
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(sizes(layers.front()), "G0 128 128 128 x1");
}

TEST(Layers, BlankRowsAndAMissingLastLineEndAreNoLayers) {
  const auto layers = layers_of("Layer,M,N,K\n\nG0,64,64,64\n,,,\n \t \nG1,64,64,64");
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0].name, "G0");
  EXPECT_EQ(layers[1].name, "G1");
  EXPECT_EQ(layers[1].line, 6u);
}

TEST(Layers, ColumnsAreTakenByNameInAnyOrder) { EXPECT_EQ(sizes(layers_of("L,K,N,M\nx,1,2,3\n").front()), "x 3 2 1 x1"); }

TEST(Layers, TabsSeparateInAFileWithoutCommas) {
  const auto layers = layers_of("Layer\tM\tN\tK\t\nx\t1\t2\t3\t\n");
  EXPECT_EQ(sizes(layers.front()), "x 1 2 3 x1");
  EXPECT_TRUE(warnings_of("Layer\tM\tN\tK\t\nx\t1\t2\t3\t\n").empty());
}

TEST(Layers, MarksAndNoBreakSpacesOfHeadersDoNotCount) {
  EXPECT_EQ(sizes(layers_of("\xEF\xBB\xBFLayer name,\xC2\xA0M,N\xC2\xA0, K ,\nx,1,2,3\n").front()), "x 1 2 3 x1");
}

TEST(Layers, HeadersAreSpelledInManyWays) {
  for (const char* header : {"Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,",
                             "Layer name,Ifmap height,ifmap width,filter height,filter width,channel,num filters,strides",
                             "NAME,IFMAP_HEIGHT,IFMAP_WIDTH,FILTER-HEIGHT,FILTER-WIDTH,CHANNELS,NUM_FILTER,STRIDE"}) {
    const auto layers = layers_of(std::string(header) + "\nc,8,6,3,1,5,7,1,\n");
    ASSERT_EQ(layers.size(), 1u) << header;
    EXPECT_EQ(sizes(layers.front()), "c 36 7 15 x1") << header;
    EXPECT_FALSE(contains(warnings_of(std::string(header) + "\nc,8,6,3,1,5,7,1,\n"), "column")) << header;
  }
}

TEST(Layers, UnknownColumnIsNamedAndAnErrorWhenStrict) {
  const std::string text = "Layer,M,N,K,,,Eh\nx,1,2,3\n";
  EXPECT_TRUE(contains(warnings_of(text), "net.csv:1: unknown column 'Eh' is ignored"));
  EXPECT_TRUE(contains(problems_of(text, true), "'Eh'"));
  EXPECT_EQ(layers_of(text).size(), 1u);
}

TEST(Layers, MisspeltColumnNamesTheNearest) { EXPECT_TRUE(contains(warnings_of("Layer,M,N,K,Grups\nx,1,2,3,1\n"), "nearest: 'Groups'")); }

TEST(Layers, DoubledColumnIsNamedAndAnErrorWhenStrict) {
  const std::string text = "Layer,M,N,K,M\nx,1,2,3,4\n";
  EXPECT_TRUE(contains(warnings_of(text), "column 'M' twice"));
  EXPECT_EQ(layers_of(text).front().m, 1u);
  EXPECT_TRUE(contains(problems_of(text, true), "column 'M' twice"));
}

TEST(Layers, FirstOfTwoWidthsIsTheHeightWhenThereIsNone) {
  const std::string text =
      "Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\nc,480,48,1,1,1,16,1,\n";
  const Layer layer = layers_of(text).front();
  EXPECT_EQ(layer.convolution->height, 480u);
  EXPECT_EQ(layer.convolution->width, 48u);
  EXPECT_TRUE(contains(warnings_of(text), "the first is taken as the height"));
}

TEST(Layers, OtherSeparatorIsNamed) {
  const std::string text = "Layer;M;N;K\nx;1;2;3\n";
  EXPECT_EQ(sizes(layers_of(text).front()), "x 1 2 3 x1");
  EXPECT_TRUE(contains(warnings_of(text), "';'"));
  EXPECT_TRUE(contains(problems_of(text, true), "';'"));
}

TEST(Layers, PositionIsUsedOnlyWithoutAHeaderAndSaid) {
  EXPECT_TRUE(contains(warnings_of("a,128,512,1536"), "by position: Layer, M, N, K"));
  EXPECT_TRUE(contains(problems_of("a,128,512,1536", true), "by position"));
  EXPECT_EQ(sizes(layers_of("c,8,6,3,1,5,7,1").front()), "c 36 7 15 x1");
  EXPECT_TRUE(contains(problems_of("a,1,2\n"), "no header and 3 cells"));
}

TEST(Layers, NumberThatIsNoneIsRefusedWithPlaceColumnAndText) {
  for (const std::string bad : {"1 2", "B", "64.5", "0x40", "1e3", "0", "-1", "+1", "16777217", "99999999999999999999", "2:4", "#dw"}) {
    const auto problems = problems_of("Layer,M,N,K\nG," + bad + ",64,64\n");
    ASSERT_EQ(problems.size(), 1u) << bad;
    EXPECT_TRUE(contains(problems, "net.csv:2: column 'M' is '" + bad + "'; want a whole number from 1 to 16777216")) << problems.front();
  }
}

TEST(Layers, BadNumbersAreRefusedWithoutAHeaderToo) {
  for (const std::string bad : {"1 2", "B", "64.5", "0x40", "1e3"}) {
    EXPECT_TRUE(contains(problems_of("G," + bad + ",64,64"), "column 'M' is '" + bad + "'")) << bad;
  }
}

TEST(Layers, AllProblemsAreReportedAtOnce) {
  const auto problems = problems_of("Layer,M,N,K\nG,B,64,\nH,1,1,1\nI,64,0,1e3\n");
  EXPECT_EQ(problems.size(), 4u);
  EXPECT_TRUE(contains(problems, "net.csv:2: column 'K' is empty"));
  EXPECT_TRUE(contains(problems, "net.csv:4: column 'N' is '0'"));
}

TEST(Layers, SparsityIsAcceptedInItsColumnAlone) {
  const std::string text = "Layer,M,N,K,Sparsity,\ng,3,5,16,2:4,\n";
  EXPECT_EQ(layers_of(text).front().sparsity, "2:4");
  EXPECT_TRUE(contains(warnings_of(text), "simulated as dense"));
  for (const std::string bad : {"5:4", "0:4", "2", "2:", "a:b", "2:4:8"}) {
    EXPECT_TRUE(contains(problems_of("Layer,M,N,K,Sparsity\ng,3,5,16," + bad), "column 'Sparsity'")) << bad;
  }
}

TEST(Layers, RowWithANameAloneIsAHeading) {
  const std::string text = "Layer,M,N,K\nEncoder,,,\ng,3,5,16\n";
  EXPECT_EQ(layers_of(text).size(), 1u);
  EXPECT_TRUE(contains(warnings_of(text), "'Encoder' has no sizes"));
  EXPECT_FALSE(problems_of(text, true).empty());
}

TEST(Layers, CellsBeyondTheColumnsAreSaidOnceWithTheirNumber) {
  const auto warnings = warnings_of("Layer,M,N,K\na,3,5,16,#dw\nb,3,5,16,#dw\nc,3,5,16\n");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings.front(), "net.csv:2: cell 5 '#dw' is in no named column and is ignored; the same in 1 more line");
}

TEST(Layers, NamesMayBeRepeatedQuotedOrMissing) {
  const auto layers = layers_of("Layer,M,N,K\na,1,1,1\na,2,1,1\n\"a, \"\"b\"\"\",3,1,1\n,4,1,1\n");
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers[1].name, "a");
  EXPECT_EQ(layers[2].name, "a, \"b\"");
  EXPECT_EQ(layers[3].name, "layer 4");
  EXPECT_TRUE(contains(problems_of("Layer,M,N,K\n\"a,1,1,1\n"), "quote is not closed"));
}

TEST(Layers, FileWithoutLayersIsRefused) {
  EXPECT_TRUE(contains(problems_of(""), "no layers"));
  EXPECT_TRUE(contains(problems_of("\n,,,\n"), "no layers"));
  EXPECT_TRUE(contains(problems_of("Layer,M,N,K\n"), "no layers"));
  EXPECT_TRUE(contains(problems_of("Layer,M,N\nx,1,2\n"), "no column 'K'"));
  EXPECT_TRUE(contains(problems_of("Layer,IFMAP Height,IFMAP Width\nx,1,2\n"), "'Channels'"));
}

TEST(Layers, TextThatIsNotUtf8IsRefused) {
  EXPECT_TRUE(contains(problems_of(std::string("\xFF\xFEL\0a\0", 6)), "UTF-16"));
  EXPECT_TRUE(contains(problems_of(std::string("Layer,M,N,K\na\0b,1,1,1\n", 22)), "control character"));
}

TEST(Convolutions, AreLoweredToOutputPixelsFiltersAndFilterVolume) {
  const Layer layer = layers_of(kConvolution + "Pad\nc,224,224,7,7,3,64,2,3\n").front();
  EXPECT_EQ(layer.m, 112u * 112u);
  EXPECT_EQ(layer.n, 64u);
  EXPECT_EQ(layer.k, 7u * 7u * 3u);
  EXPECT_EQ(layer.input_elements(), 224u * 224u * 3u);
  EXPECT_EQ(layer.lowered_elements(), 112u * 112u * 147u);
}

TEST(Convolutions, LastPartOfAStepIsNoOutput) { EXPECT_EQ(layers_of(kConvolution + "\nc,8,8,3,3,1,1,2\n").front().m, 9u); }

TEST(Convolutions, DilationSpreadsTheFilter) { EXPECT_EQ(layers_of(kConvolution + "Dilation\nc,8,8,3,3,1,1,1,2\n").front().m, 16u); }

TEST(Convolutions, DepthwiseDoesNotMultiplyTheWorkByTheChannels) {
  const Layer depthwise = layers_of(kConvolution + "Pad,Groups\nc,16,16,3,3,64,64,1,1,64\n").front();
  const Layer full = layers_of(kConvolution + "Pad,Groups\nc,16,16,3,3,64,64,1,1,1\n").front();
  EXPECT_EQ(depthwise.macs(), 147'456u);
  EXPECT_EQ(full.macs(), 64u * depthwise.macs());
  EXPECT_EQ(layer_params(depthwise, {}).at("batch"), "64");
}

TEST(Convolutions, SamplesOfABatchShareTheWeights) {
  const Layer one = layers_of(kConvolution + "Batch\nc,8,8,3,3,4,4,1,1\n").front();
  const Layer two = layers_of(kConvolution + "Batch\nc,8,8,3,3,4,4,1,2\n").front();
  EXPECT_EQ(two.macs(), 2 * one.macs());
  EXPECT_EQ(two.m, 2 * one.m);
  EXPECT_EQ(two.k, one.k);
  EXPECT_TRUE(contains(problems_of(kConvolution + "Batch\nc,8,8,3,3,4,4,1,0\n"), "column 'Batch' is '0'"));
}

TEST(Convolutions, SizesThatCannotBeAreRefused) {
  EXPECT_TRUE(contains(problems_of(kConvolution + "\nc,2,2,3,3,4,4,1\n"), "3 x 3 filter does not fit a 2 x 2 input"));
  EXPECT_TRUE(contains(problems_of(kConvolution + "Groups\nc,8,8,3,3,4,4,1,3\n"), "3 groups do not divide"));
  EXPECT_TRUE(contains(problems_of(kConvolution + "\nc,16777216,16777216,1,1,4,4,1\n"), "above 16777216"));
}

TEST(LayerLists, MayMixMatmulsAndConvolutions) {
  const std::string header = "Layer,M,N,K,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter\n";
  const auto layers = layers_of(header + "a,1,2,3\nb,,,,4,4,1,1,2,3\n");
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_FALSE(layers[0].convolution.has_value());
  EXPECT_EQ(sizes(layers[1]), "b 16 3 2 x1");
  EXPECT_TRUE(contains(problems_of(header + "a,1,2,3,4,4,1,1,2,3\n"), "want one of them"));
}

TEST(LayerParams, TypeOfALayerWinsOverTheCommonOne) {
  const auto layers = layers_of("Layer,M,N,K,Dtype\na,1,2,3,\nb,1,2,3,fp16\n");
  EXPECT_EQ(layer_params(layers[0], {{"dtype", "fp32"}}).at("dtype"), "fp32");
  EXPECT_EQ(layer_params(layers[1], {{"dtype", "fp32"}}).at("dtype"), "fp16");
  EXPECT_TRUE(contains(problems_of("Layer,M,N,K,Dtype\na,1,2,3,bf17\n"), "column 'Dtype' is 'bf17'"));
}

TEST(LayerParams, CommonSizesAreRefused) { EXPECT_THROW((void)layer_params(Layer{}, {{"m", "4"}}), WorkloadError); }

}  // namespace
}  // namespace trnsim
