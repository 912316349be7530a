// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/store.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "trnsim/error.hpp"
#include "unit/app/sweep/rows.hpp"

namespace trnsim::app {
namespace {

std::vector<StoredRow> rows_of(SweepStore& store) {
  std::vector<StoredRow> rows;
  store.for_each([&rows](const StoredRow& row) { rows.push_back(row); });
  return rows;
}

TEST(ExactNumber, IsTakenOnlyWhenTheProgramWouldWriteItThatWay) {
  EXPECT_EQ(exact_integer("42"), 42);
  EXPECT_EQ(exact_real("0.1"), 0.1);
  EXPECT_EQ(exact_real("1e+20"), 1e20);
  for (const char* text : {"", "007", "+1", " 1", "1 ", "1.", "0x10", "1e3", "1.50", "inf", "nan", "-0", "-0.0", "trn2"}) {
    EXPECT_FALSE(exact_integer(text)) << text;
    EXPECT_FALSE(exact_real(text)) << text;
  }
}

TEST(SweepStore, RowsComeBackAsTheyWere) {
  const Scratch scratch;
  std::vector<SweepRow> rows{sample_row(0), sample_row(1), sample_row(2)};
  rows[0].axes = {"", "1e3"};
  rows[1].axes = {"007", "-0"};
  rows[1].values[0] = "123";  // a chip that is named like a number
  rows[2].status = PointStatus::TimedOut;
  rows[2].error = "ran longer than 1 s";
  rows[2].values.assign(rows[2].values.size(), "");
  SweepStore store = SweepStore::create(scratch.path("s.sqlite"), sample_info(3));
  store.add({stored(rows[2]), stored(rows[0]), stored(rows[1])});
  const std::vector<StoredRow> back = rows_of(store);
  ASSERT_EQ(back.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(back[i].row, rows[i]) << i;
  EXPECT_EQ(store.row(1)->row, rows[1]);
  EXPECT_FALSE(store.row(7).has_value());
}

TEST(SweepStore, WhatIsNotInTheTableComesBackToo) {
  const Scratch scratch;
  SweepStore store = SweepStore::create(scratch.path("s.sqlite"), sample_info(2));
  StoredRow copy = stored(sample_row(1));
  copy.copied_from = 0;
  copy.seconds = 0;
  store.add({stored(sample_row(0)), copy});
  EXPECT_EQ(store.config("t0"), "{\"a\":1}");
  EXPECT_EQ(store.config("t9"), "");
  EXPECT_EQ(store.copied(), 1U);
  EXPECT_EQ(store.row(1)->copied_from, std::optional<std::size_t>(0));
  EXPECT_FALSE(store.row(0)->ended.empty());
  EXPECT_DOUBLE_EQ(store.seconds_per_row(), 0.5);
  const std::vector<std::pair<std::size_t, std::string>> identities{{0, "id0"}, {1, "id1"}};
  EXPECT_EQ(store.identities(), identities);
}

TEST(SweepStore, ReopenedKnowsWhatItBelongsTo) {
  const Scratch scratch;
  SweepInfo info = sample_info(10, {2, 3});
  info.text = "{\"a\": \"'quoted'\"}\n";
  (void)SweepStore::create(scratch.path("s.sqlite"), info);
  const SweepInfo back = SweepStore::open(scratch.path("s.sqlite")).info();
  EXPECT_EQ(back.hash, info.hash);
  EXPECT_EQ(back.text, info.text);
  EXPECT_EQ(back.tool_version, info.tool_version);
  EXPECT_EQ(back.axes, info.axes);
  EXPECT_EQ(back.points, 10U);
  EXPECT_EQ(back.shard, (Shard{2, 3}));
}

TEST(SweepStore, OnlyPointsThatMayEndDifferentlyAreTriedAgain) {
  const Scratch scratch;
  SweepStore store = SweepStore::create(scratch.path("s.sqlite"), sample_info(5));
  std::vector<StoredRow> rows;
  for (std::size_t i = 0; i < kStatusCount; ++i) {
    rows.push_back(stored(sample_row(i)));
    rows.back().row.status = static_cast<PointStatus>(i);
  }
  store.add(rows);
  EXPECT_EQ(store.first_failed()->row.point, 1U);
  EXPECT_EQ(sum(store.counts()), 5U);
  store.remove_unfinished();
  EXPECT_EQ(store.counts(), (StatusCounts{1, 1, 0, 0, 0}));
}

TEST(SweepStore, RowsAreAddedAllOrNone) {
  const Scratch scratch;
  SweepStore store = SweepStore::create(scratch.path("s.sqlite"), sample_info(2));
  StoredRow broken = stored(sample_row(1));
  broken.row.axes.pop_back();
  EXPECT_THROW(store.add({stored(sample_row(0)), broken}), InternalError);
  EXPECT_EQ(sum(store.counts()), 0U);
  store.add({stored(sample_row(0))});
  EXPECT_EQ(sum(store.counts()), 1U);
}

TEST(SweepStore, NumbersAreNumbersForSql) {
  const Scratch scratch;
  SweepStore::create(scratch.path("s.sqlite"), sample_info(1)).add({stored(sample_row(3))});
  Database database(scratch.path("s.sqlite"), Database::Open::Existing);
  Statement query =
      database.prepare("SELECT typeof(time_ns), typeof(\"params.m\"), typeof(preset), typeof(error) FROM points WHERE time_ns < 4");
  ASSERT_TRUE(query.step());
  EXPECT_EQ(query.text(0) + query.text(1) + query.text(2) + query.text(3), "realintegertextnull");
}

TEST(SweepStore, OtherFilesAreRefused) {
  const Scratch scratch;
  EXPECT_THROW(SweepStore::open(scratch.path("none.sqlite")), IoError);
  std::ofstream(scratch.path("text.sqlite")) << std::string(5000, 'x');
  EXPECT_THROW(SweepStore::open(scratch.path("text.sqlite")), IoError);
  Database(scratch.path("other.sqlite"), Database::Open::Create).run("CREATE TABLE a (b)");
  EXPECT_THROW(SweepStore::open(scratch.path("other.sqlite")), InputError);
  EXPECT_THROW((void)read_sweep(scratch.path("nowhere")), IoError);
  EXPECT_THROW((void)read_sweep(scratch.path()), InputError);
}

TEST(SweepStore, NewerFormatNamesTheVersions) {
  const Scratch scratch;
  (void)SweepStore::create(scratch.path("s.sqlite"), sample_info(1));
  Database(scratch.path("s.sqlite"), Database::Open::Existing).run("UPDATE sweep SET value = '2.0' WHERE name = 'trnsim_sweep_results'");
  try {
    (void)SweepStore::open(scratch.path("s.sqlite"));
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("2.0"), std::string::npos) << error.what();
  }
}

TEST(ReadSweep, GivesTheRowsThatAreThere) {
  const Scratch scratch;
  SweepStore::create(database_file(scratch.path()), sample_info(9)).add({stored(sample_row(4)), stored(sample_row(2))});
  const SweepTable table = read_sweep(scratch.path());
  EXPECT_EQ(table.axes, sample_info(9).axes);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0], sample_row(2));
  EXPECT_EQ(table.rows[1], sample_row(4));
}

TEST(Shard, PartsHoldEveryPointOnce) {
  for (std::size_t count = 1; count < 8; ++count) {
    for (std::size_t points = 0; points < 30; ++points) {
      std::size_t total = 0;
      for (std::size_t index = 1; index <= count; ++index) {
        std::size_t held = 0;
        for (std::size_t point = 0; point < points; ++point) held += Shard{index, count}.holds(point) ? 1 : 0;
        EXPECT_EQ(held, (Shard{index, count}.size(points)));
        total += held;
      }
      EXPECT_EQ(total, points);
    }
  }
}

}  // namespace
}  // namespace trnsim::app
